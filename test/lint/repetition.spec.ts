import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const OXLINT = 'node_modules/oxlint/bin/oxlint';
const RULES = {
  jsPlugins: [resolve('test/lint/repetition.mjs')],
  categories: { correctness: 'off' },
  rules: { 'repetition/outside': 'error' },
};

/** Name to body of a function, and the number of the line of its loop. */
const FAULTS: Readonly<Record<string, readonly [body: string, line: number]>> = {
  'a loop without a condition': ['for (;;) {\ntry { return await ask(); } catch { pause(); }\n}', 2],
  'a loop with a condition': ['let a;\nwhile (goesOn) {\ntry { await ask(); } catch (error) { tell(error); }\n}', 3],
  'a loop that ends by its condition': ['do {\ntry { await ask(); } catch {}\n} while (goesOn);', 2],
  'a loop that counts': ['for (let n = 0; n < 3; n += 1) {\nawait ask().catch(tell);\n}', 2],
  'an awaited condition': ['while (await ask().catch(() => true)) {\npause();\n}', 2],
  'an await within conditions': ['for (;;) {\ntry { if (goesOn) { await ask(); } } catch {}\n}', 2],
  'a loop over some things within it': ['for (;;) {\nfor (const one of all) await ask(one).catch(tell);\n}', 2],
  'a failure that does not always end it': [
    'for (;;) {\ntry { await ask(); } catch (error) { if (isLast) throw error; pause(); }\n}',
    2,
  ],
};

const FAULTLESS: Readonly<Record<string, string>> = {
  'a loop over things': 'for (const one of all) {\ntry { await ask(one); } catch (error) { tell(error); }\n}',
  'a loop over things as they come': 'for await (const one of all) await ask(one).catch(tell);',
  'a loop that lets failures pass': 'while (goesOn) await ask();',
  'a failure that ends the loop': 'for (;;) {\ntry { await ask(); } catch (error) { throw new Oops(error); }\n}',
  'a failure after the loop': 'try {\nfor (;;) await ask();\n} catch (error) { tell(error); }',
  'an end without a handler': 'for (;;) {\ntry { await ask(); } finally { close(); }\n}',
  'a wait in the handler': 'for (;;) {\ntry { parse(); } catch { await tell(); }\n}',
  'a function that a loop makes': 'while (goesOn) {\nall.push(async () => { try { await ask(); } catch {} });\n}',
};

let folder: string;
let found: readonly { readonly name: string; readonly line: number; readonly message: string }[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'repetition-'));
  const faulty = Object.entries(FAULTS).map(([name, [body]]) => [name, body] as const);
  const files = [...faulty, ...Object.entries(FAULTLESS)];
  const write = ([name, body]: readonly [string, string]) =>
    writeFile(join(folder, `${name}.ts`), `async function work() {\n${body}\n}\n`);
  await Promise.all(files.map(write));
  await writeFile(join(folder, 'rules.json'), JSON.stringify(RULES));
  const said = await lint('-c', join(folder, 'rules.json'), '-f', 'unix', folder);
  found = [...said.matchAll(/([^/]+)\.ts:(\d+):\d+: (.+) \[Error\/repetition\(/g)].map(
    ([, name = '', line, message = '']) => ({ name, line: Number(line), message }),
  );
});
afterAll(() => rm(folder, { recursive: true }));

describe('the lint of loops that repeat what has failed', () => {
  it.each(Object.entries(FAULTS))('finds %s once, and says what to use', (name, [, line]) => {
    const faults = found.filter((fault) => fault.name === name);
    expect(faults).toEqual([{ name, line, message: expect.stringContaining('of the room `repeat`') }]);
  });

  it.each(Object.keys(FAULTLESS))('finds no fault in %s', (name) => {
    expect(found.filter((fault) => fault.name === name)).toEqual([]);
  });
});

/** Both outputs of the linter, which finds faults. */
function lint(...options: readonly string[]): Promise<string> {
  return new Promise((fulfil, reject) => {
    execFile(process.execPath, [OXLINT, ...options], (error, stdout, stderr) => {
      if (error?.code === 1) fulfil(stdout + stderr);
      else reject(new Error(`oxlint has ended with ${error?.code ?? 0}: ${stdout}${stderr}`));
    });
  });
}
