import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const HOOKS = new URL('../support/faults/register-typescript.mjs', import.meta.url).href;
const COMMAND = fileURLToPath(new URL('supply.ts', import.meta.url));

it('finds nothing in a sound workspace, and succeeds', async () => {
  expect(await runOn(await workspaceOf({}))).toEqual({
    code: 0,
    lines: ['0 findings, 2 files in the tarball'],
  });
});

it('prints one line for each finding, and fails', async () => {
  const left = { version: '1.0.0', license: 'MIT', integrity: 'sha1-abc', deprecated: 'use right' };
  const root = await workspaceOf({ packages: { 'node_modules/left': left }, listed: ['package.json'] });
  expect(await runOn(root)).toEqual({
    code: 1,
    lines: [
      'integrity: node_modules/left@1.0.0: has the integrity sha1-abc, and needs a sha512',
      'deprecated: node_modules/left@1.0.0: use right',
      'tarball: dist/index.js: is packed, and not in the list',
      '3 findings, 2 files in the tarball',
    ],
  });
});

it('says what to do if a package is not built', async () => {
  const { code, lines } = await runOn(await workspaceOf({ isBuilt: false }));
  expect(code).toBe(1);
  expect(lines).toContain('tarball: dist/index.js: is not built; npm run build first');
});

async function workspaceOf({ packages = {}, listed = ['dist/index.js', 'package.json'], isBuilt = true }) {
  const root = await mkdtemp(join(tmpdir(), 'supply-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  };
  await write(
    'package-lock.json',
    JSON.stringify({ lockfileVersion: 3, packages: { '': { name: 'w' }, ...packages } }),
  );
  await write('libs/elastic-job/package.json', '{"name":"ours","version":"1.0.0","files":["dist"]}');
  if (isBuilt) await write('libs/elastic-job/dist/index.js', '');
  await write('test/supply/tarball-files.txt', `${listed.join('\n')}\n`);
  return root;
}

function runOn(root: string): Promise<{ readonly code: number; readonly lines: readonly string[] }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, ['--import', HOOKS, COMMAND, '--root', root], (_, stdout) => {
      resolve({ code: child.exitCode ?? -1, lines: stdout.trim().split('\n') });
    });
  });
}
