import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Suite } from '../suites.js';
import { DeclaredCopy } from './copy.js';
import { inputsOf } from './inputs.js';
import { Tree } from './tree.js';

const FILES = {
  'package.json': '{ "workspaces": ["libs/*"], "scripts": {} }',
  'package-lock.json': '{}',
  'tsconfig.json': '{}',
  '.gitignore': 'node_modules/\ndist/\n',
  'libs/one/package.json': '{ "name": "one" }',
  'src/program.ts': "import { used } from './used.js';\nconsole.log(used, new URL('./data.json', import.meta.url));\n",
  'src/used.ts': 'export const used = 1;\nexport const unused = 2;\n',
  'src/data.json': '{}',
  'src/other.ts': 'export const other = 3;\n',
  'settings.json': '{}',
};
const SUITE: Suite = {
  name: 'a',
  shows: '',
  command: 'true',
  seconds: 1,
  programs: ['src/program.ts'],
  reads: ['settings.json'],
};

let root: string;
let copy: DeclaredCopy;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'repository-'));
  const installed = { 'node_modules/two/index.js': '2', 'dist/main.js': 'built' };
  for (const [file, text] of Object.entries({ ...FILES, ...installed })) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  execFileSync('git', ['init', '--quiet'], { cwd: root });
  copy = DeclaredCopy.of(Tree.at(root));
});
afterEach(() => {
  copy.remove();
  rmSync(root, { recursive: true });
});

const has = (file: string) => existsSync(join(copy.folder, file));

async function fill(suite: Suite): Promise<void> {
  copy.fill(suite, (await inputsOf(suite, Tree.at(root))).needed);
}

it('holds what a suite declares and imports, and installed packages, but nothing else', async () => {
  await fill(SUITE);
  const there = ['src/program.ts', 'src/used.ts', 'src/data.json', 'settings.json', 'package.json', 'tsconfig.json'];
  expect([...there, 'node_modules/two/index.js'].filter((file) => !has(file))).toEqual([]);
  expect(['src/other.ts', 'dist/main.js', '.git', 'libs/one/package.json'].filter(has)).toEqual([]);
});

it('holds what the build has written, for a suite that needs it', async () => {
  await fill({ ...SUITE, needs: ['build'] });
  expect(readFileSync(join(copy.folder, 'dist/main.js'), 'utf8')).toBe('built');
});

it('shows the history of the repository to a suite that needs it', async () => {
  await fill({ ...SUITE, needs: ['history'] });
  const options = { cwd: copy.folder, encoding: 'utf8' } as const;
  const folder = execFileSync('git', ['rev-parse', '--absolute-git-dir'], options);
  expect(folder.trim()).toBe(
    execFileSync('git', ['rev-parse', '--absolute-git-dir'], { ...options, cwd: root }).trim(),
  );
});

it('forgets what the suite before has left', async () => {
  await fill(SUITE);
  writeFileSync(join(copy.folder, 'left.txt'), '');
  await fill({ ...SUITE, programs: [] });
  expect(['left.txt', 'src/program.ts'].filter(has)).toEqual([]);
  expect(has('node_modules/two/index.js')).toBe(true);
});
