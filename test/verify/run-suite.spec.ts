import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Suite } from '../suites.js';
import { endAll, type Outcome, runSuite } from './run-suite.js';

/** Lies below the workspace, so that vitest is found. */
let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(process.cwd(), 'node_modules/.cache/run-suite-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

const run = (command: string, more: Partial<Suite> = {}): Promise<Outcome> =>
  runSuite({ name: 'a', shows: '', command, seconds: 1, ...more }, { cwd, isBeside: true });

/** The state of a process: a letter of proc(5), or `gone`. A killed one is a zombie until its parent has noticed. */
function stateOf(pid: number): string {
  const file = `/proc/${pid}/status`;
  return existsSync(file) ? (/^State:\s+(\S)/m.exec(readFileSync(file, 'utf8'))?.[1] ?? '') : 'gone';
}

describe('a suite', () => {
  it('is green if its command ends with 0, and not otherwise', async () => {
    expect(await run('echo done')).toMatchObject({ isGreen: true, output: 'done\n' });
    expect(await run('echo broken >&2; exit 3')).toMatchObject({ isGreen: false, output: 'broken\n' });
  });

  it('fails by any of its commands', async () => {
    expect(await run('false; true')).toMatchObject({ isGreen: false });
    expect(await run('false | true')).toMatchObject({ isGreen: false });
    expect(await run('echo "$no_such_variable"')).toMatchObject({ isGreen: false });
  });

  it('is not steered by variables of the shell, but by its row', async () => {
    vi.stubEnv('CHAOS_REPEAT', '0');
    const { output } = await run('VERSIONS_SECONDS=15; echo "${CHAOS_REPEAT:-none} $VERSIONS_SECONDS $CI"');
    vi.unstubAllEnvs();
    expect(output).toBe('none 15 true\n');
  });

  it('leaves no process running', async () => {
    const { output } = await run('sleep 600 & echo $!');
    await vi.waitFor(() => expect(stateOf(Number(output))).toMatch(/^(gone|Z)/));
  });

  it('ends at once if all are to end', async () => {
    const running = run('echo started; sleep 600');
    endAll();
    expect(await running).toMatchObject({ isGreen: false });
  });
});

/** Each test starts up to two runs of vitest, which take ten times as long on a busy machine. */
describe('a suite of vitest', { timeout: 120_000 }, () => {
  const SPEC = "import { expect, it } from 'vitest';\n";
  const write = (specs: Readonly<Record<string, string>>) => {
    const script = `node ${join(process.cwd(), 'node_modules/vitest/vitest.mjs')} run --root .`;
    writeFileSync(join(cwd, 'package.json'), JSON.stringify({ type: 'module', scripts: { 'test:a': script } }));
    // The folder lies below node_modules, which vitest leaves out unless it is told otherwise.
    writeFileSync(join(cwd, 'vitest.config.js'), "export default { test: { exclude: [], include: ['*.spec.js'] } };");
    for (const [name, text] of Object.entries(specs)) writeFileSync(join(cwd, `${name}.spec.js`), SPEC + text);
    return run('npm run -s test:a', { vitest: true });
  };
  /** Passes when it runs for the second time. */
  const flaky = (name: string) => `
    import { existsSync, writeFileSync } from 'node:fs';
    it('passes the second time', () => {
      const isAgain = existsSync('${name}');
      writeFileSync('${name}', '');
      expect(isAgain).toBe(true);
    });`;

  it('is green if all its tests pass', async () => {
    expect(await write({ a: "it('passes', () => {});" })).toMatchObject({ isGreen: true, repeated: [] });
  });

  it('fails if a test is skipped', async () => {
    const outcome = await write({ a: "it('passes', () => {}); it.skip('is left out', () => {});" });
    expect(outcome).toMatchObject({ isGreen: false, repeated: [] });
  });

  it('fails if it has no test', async () => {
    expect(await write({})).toMatchObject({ isGreen: false });
  });

  it('fails if it does not come to its tests', async () => {
    expect(await run('false && npm run -s test:a', { vitest: true })).toMatchObject({ isGreen: false });
  });

  it('fails by an error outside of its tests, also if a file of it passes the second time', async () => {
    const late = `it('passes', async () => {
      setImmediate(() => { throw new Error("too late"); });
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    });`;
    expect(await write({ a: flaky('a'), b: late })).toMatchObject({ isGreen: false, repeated: [] });
  });

  it('runs up to two failed files once more, and names them', async () => {
    const specs = { a: flaky('a'), b: flaky('b'), c: "it('passes', () => {});" };
    expect(await write(specs)).toMatchObject({ isGreen: true, repeated: ['a.spec.js', 'b.spec.js'] });
  });

  it('fails if a file fails twice, or more than two files fail', async () => {
    expect(await write({ a: "it('fails', () => expect(1).toBe(2));" })).toMatchObject({ isGreen: false });
    const many = await write({ a: flaky('1'), b: flaky('2'), c: flaky('3') });
    expect(many).toMatchObject({ isGreen: false, repeated: [] });
  });
});
