import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listen } from '@test/support/zookeeper/loopback.js';

const HOOKS = resolve('test/support/faults/register-typescript.mjs');
const RELEASE = resolve('libs/elastic-job/release/release.ts');
const CHANGELOG = '# Changelog\n\n## Unreleased\n\n### Added\n\n- A job.\n';
const SCRIPTS = ['lint', 'typecheck', 'build:library', 'package:check', 'api', 'test'];
const STEPS = ['state', 'version', 'changelog', 'dependencies', ...SCRIPTS.map((script) => `check: npm run ${script}`)];
const REST = ['pack', 'commit', 'tag', 'publish'];

let root: string;
let registry: Server;
/** Bodies of the requests that publish. */
let published: string[];

beforeEach(async () => {
  published = [];
  registry = createServer(async (request, response) => {
    const isPut = request.method === 'PUT';
    if (isPut) published.push(await text(request));
    response.writeHead(isPut ? 201 : 404, { 'content-type': 'application/json' }).end('{}');
  });
  const port = await listen(registry);
  root = await mkdtemp(join(tmpdir(), 'release-spec-'));
  for (const [file, content] of Object.entries(workspace(port))) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), content);
  }
  await git('init', '--quiet', '--initial-branch', 'main');
  await commit('feat: all of it');
});
afterEach(async () => {
  registry.close();
  await rm(root, { recursive: true });
});

describe('a dry run of a release', () => {
  it('names each step and changes nothing', async () => {
    const before = await state();

    const { output, code } = await release('--dry-run');

    expect(code).toBe(0);
    const steps = [...output.matchAll(/^== (.+)$/gm)].map((match) => match[1]!);
    expect(steps.map((step) => step.split(',', 1)[0])).toEqual([...STEPS, ...REST]);
    expect(output).toContain(`## 0.1.0 - ${new Date().toISOString().slice(0, 10)}\n### Added\n\n- A job.`);
    expect(output).toMatch(/scratch-0\.1\.0\.tgz: 3 files/);
    expect(await state()).toEqual(before);
    expect(published).toEqual([]);
  });

  it('goes on in a tree with changes, and says that a release would be refused', async () => {
    await writeFile(join(root, 'CHANGELOG.md'), 'changed');
    const { output, code } = await release('--dry-run', '--version', '0.3.0');
    expect([code, output]).toEqual([0, expect.stringContaining('A release would be refused: there are changes')]);
    expect(await readFile(join(root, 'CHANGELOG.md'), 'utf8')).toBe('changed');
  });
});

describe('a release', () => {
  it('commits, tags and publishes the tarball that was checked', async () => {
    const { output, code } = await release('--version', '0.2.0');

    expect([code, output]).toEqual([0, expect.stringContaining('git push --follow-tags origin main')]);
    expect(await git('log', '-1', '--format=%s%d')).toBe('chore(release): 0.2.0 (HEAD -> main, tag: v0.2.0)');
    expect(await git('status', '--porcelain')).toBe('');
    expect(await git('grep', '-c', String.raw`0\.1\.0`).catch(() => 'none')).toBe('none');
    expect(published).toHaveLength(1);
    const { versions }: { versions: Record<string, { dist: { integrity: string } }> } = JSON.parse(published[0]!);
    expect(output).toContain(`scratch-0.2.0.tgz: 3 files, 1 KB, ${versions['0.2.0']!.dist.integrity}`);
  });

  it('takes the version that the commits since the last one ask for', async () => {
    await git('tag', 'v0.1.0');
    await commit('fix: a mistake', '--allow-empty');
    const { output } = await release('--dry-run');
    expect(output).toContain('0.1.1, after 0.1.0');
  });

  it.each([
    ['a tree with changes', () => writeFile(join(root, 'added.txt'), ''), 'changes that are not committed'],
    ['another branch', () => git('switch', '--quiet', '--create', 'other'), 'the branch is other'],
    ['a failed check', () => breakScript('api'), 'npm run --silent api has ended with 1'],
    ['a failed test', () => breakScript('test'), 'npm run --silent test has ended with 1'],
    ['an empty section', () => overwrite('CHANGELOG.md', '# Changelog\n\n## Unreleased\n'), 'nothing in it'],
  ])('is refused for %s, and leaves no trace', async (_, make, problem) => {
    await make();
    const before = await state();
    const { output, code } = await release();
    expect([code, output]).toEqual([1, expect.stringContaining(problem)]);
    expect(await state()).toEqual(before);
    expect(published).toEqual([]);
  });
});

/** A workspace of the same layout. Its checks take no time. */
function workspace(port: number): Readonly<Record<string, string>> {
  const scripts = Object.fromEntries(SCRIPTS.map((script) => [script, 'node --eval 0']));
  const manifest = { private: true, workspaces: ['libs/*'] };
  const packages = {
    '': manifest,
    'libs/elastic-job': { name: 'scratch', version: '0.1.0' },
    'node_modules/scratch': { resolved: 'libs/elastic-job', link: true },
  };
  return {
    '.gitignore': 'node_modules/\n*.tgz\n',
    '.npmrc': `registry=http://127.0.0.1:${port}/\n//127.0.0.1:${port}/:_authToken=none\naudit=false\nfund=false\n`,
    'CHANGELOG.md': CHANGELOG,
    'examples/a/package.json': '{ "dependencies": { "nestjs-elastic-job": "^0.1.0" } }\n',
    'libs/elastic-job/index.js': '\n',
    'libs/elastic-job/package.json': '{ "name": "scratch", "version": "0.1.0" }\n',
    'libs/elastic-job/src/copies/shared.ts': "export const RELEASE = '0.1.0';\n",
    'package-lock.json': `${JSON.stringify({ lockfileVersion: 3, requires: true, packages }, null, 2)}\n`,
    'package.json': `${JSON.stringify({ ...manifest, scripts }, null, 2)}\n`,
  };
}

async function breakScript(name: string): Promise<void> {
  const manifest = await readFile(join(root, 'package.json'), 'utf8');
  await overwrite('package.json', manifest.replace(`"${name}": "node --eval 0"`, `"${name}": "exit 1"`));
}

async function overwrite(file: string, content: string): Promise<void> {
  await writeFile(join(root, file), content);
  await commit('test: another file');
}

function release(...args: readonly string[]): Promise<{ readonly output: string; readonly code: unknown }> {
  return new Promise((done) => {
    execFile(process.execPath, ['--import', HOOKS, RELEASE, ...args], { cwd: root, env: env() }, (error, out, err) =>
      done({ output: out + err, code: error?.code ?? 0 }),
    );
  });
}

/** All that a release may change. */
async function state(): Promise<readonly unknown[]> {
  return [
    await git('log', '--all', '--format=%H%d'),
    await git('status', '--porcelain', '--ignored'),
    await git('worktree', 'list'),
    (await readdir(root)).toSorted(),
  ];
}

async function commit(message: string, ...options: readonly string[]): Promise<void> {
  await git('add', '--all');
  await git('commit', '--quiet', '--message', message, ...options);
}

async function git(...args: readonly string[]): Promise<string> {
  return (await promisify(execFile)('git', args, { cwd: root, env: env() })).stdout.trimEnd();
}

function env(): NodeJS.ProcessEnv {
  const someone = { NAME: 'someone', EMAIL: 'someone@example.org' };
  const people = Object.entries(someone).flatMap(([key, value]) =>
    ['AUTHOR', 'COMMITTER'].map((role) => [`GIT_${role}_${key}`, value]),
  );
  return { ...process.env, ...Object.fromEntries(people) };
}
