import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const OXLINT = 'node_modules/oxlint/bin/oxlint';
const RULES = 'test/lint/prose.oxlintrc.json';
const LONG = 'x'.repeat(101);
const URL = `https://example.com/${'x'.repeat(120)}`;

/** Name to text, the number of the line at fault, and a part of what is said of it. */
const FAULTS: Readonly<Record<string, readonly [text: string, line: number, says: string]>> = {
  'a line comment': ['let a;\n// What a thing is.', 2, '"What". Begin it with the noun or verb'],
  'a comment after code': ['let a; // who knows', 1, '"who"'],
  'a block comment': ['/* Nobody reads it. */', 1, '"Nobody"'],
  'a docstring': ['/**\n * Whether it is on.\n */\nlet a;', 2, '"Whether"'],
  'a short form': ["// Who's there", 1, '"Who"'],
  'a first word in quotation marks': ['// "Whatever" it is.', 1, '"Whatever"'],
  'a first word behind a bracket': ['/** (Whoever asks.) */', 1, '"Whoever"'],
  'the text of a parameter': ['/**\n * Adds.\n * @param n what is added\n */', 3, '"what"'],
  'the text of a typed return': ['/** @returns {number} - What is left. */', 1, '"What"'],
  'a comment after another one': ['let a; // One.\n// What follows.', 2, '"What"'],
  'a wide line': [`let a; ${'/'.repeat(114)}`, 1, '121 columns'],
  'a line of wide letters': [`// ${'字'.repeat(59)}`, 1, '121 columns'],
  'two addresses': [`// ${URL} ${URL}`, 1, 'columns'],
  'a title': [`it('${LONG}', f);`, 1, '101 characters. Say the rule that the user gets'],
  'a title of a suite that is skipped': [`describe.skip(\n'${LONG}', f);`, 2, '101 characters'],
  'a title of a table': [`it.each([1])(\n'${LONG}', f);`, 2, '101 characters'],
  'a title of a tagged table': [`test.each\`a\`(\n'${LONG}', f);`, 2, '101 characters'],
  'a title that depends': [`it.skipIf(a).for([1])(\n'${LONG}', f);`, 2, '101 characters'],
  'the written part of a title': [`it(\`\${a}${LONG}\`, f);`, 1, '101 characters'],
  'a title in two parts': [`it(\n  'x' +\n    '${LONG}',\n  f,\n);`, 2, '102 characters'],
  'the steps of a test in its title': ["it('given a job, when it runs, then it ends', f);", 1, 'tells its steps'],
  'a title that begins with a condition': ["it('when it runs, then it ends', f);", 1, 'tells its steps'],
};

const FAULTLESS: Readonly<Record<string, string>> = {
  'a word in the middle': '// Listeners learn what they missed.\n// What they missed is kept.',
  'a word in the middle of a docstring': '/**\n * Reads\n * what is left.\n * @throws if nobody answers\n */\nlet a;',
  'a longer word': '// Whole numbers.\n\n// What-if analyses.',
  'a word in a text': "const a = '// What';",
  'a line of 120 columns': `let a; ${'/'.repeat(113)}`,
  'one address': `// ${URL}`,
  'a title of 100 characters': `it('${'x'.repeat(100)}', f);`,
  'what is put into a title': `it(\`\${a + '${LONG}'}\`, f);`,
  'the table of a title': `it.each(\n'${LONG}')('%s', f);`,
  'another function': `item('${LONG}');`,
  'a condition within a title': "it('ends the job when it is told to', f);",
};

let folder: string;
let found: readonly { readonly name: string; readonly line: number; readonly message: string }[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'prose-'));
  const faulty = Object.entries(FAULTS).map(([name, [text]]) => [name, text] as const);
  const files = [...faulty, ...Object.entries(FAULTLESS)];
  await Promise.all(files.map(([name, text]) => writeFile(join(folder, `${name}.ts`), `${text}\n`)));
  const said = await say(OXLINT, '-c', RULES, '-f', 'unix', folder);
  found = [...said.matchAll(/([^/]+)\.ts:(\d+):\d+: (.+) \[Error\/prose\(/g)].map(
    ([, name = '', line, message = '']) => ({ name, line: Number(line), message }),
  );
});
afterAll(() => rm(folder, { recursive: true }));

describe('the lint of prose', () => {
  it.each(Object.entries(FAULTS))('finds the fault of %s, at its line and with the remedy', (file, [, line, says]) => {
    const faults = found.filter(({ name }) => name === file);
    expect(faults).toEqual([{ name: file, line, message: expect.stringContaining(says) }]);
  });

  it('finds no fault in comments, lines and titles that keep the rules', () => {
    expect(found.filter(({ name }) => name in FAULTLESS)).toEqual([]);
  });

  it('finds wide lines of Markdown, except in tables and for one address', async () => {
    const wide = join(folder, 'wide.md');
    const wideLine = 'word '.repeat(25);
    await writeFile(wide, `| ${wideLine}|\n[page](${URL})\n${wideLine}\n`);
    expect(await say('test/lint/markdown.mjs', wide)).toBe(
      `${wide}:3: A line has more than 120 columns. Break it, or shorten it.\n`,
    );
  });
});

/** Both outputs of a script of Node that fails. */
function say(...command: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, command, (error, stdout, stderr) => {
      if (error?.code === 1) resolve(stdout + stderr);
      else reject(new Error(`${command.join(' ')} has ended with ${error?.code ?? 0}: ${stdout}${stderr}`));
    });
  });
}
