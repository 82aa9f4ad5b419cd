import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, it, type TestContext } from 'vitest';
import { listen } from '@test/support/zookeeper/loopback.js';

const HOOKS = resolve('test/support/faults/register-typescript.mjs');
const RELEASE = resolve('libs/elastic-job/release/release.ts');
const CHANGELOG = '# Changelog\n\n## Unreleased\n\n### Added\n\n- A job.\n';
const SCRIPTS = ['lint', 'typecheck', 'build:library', 'package:check', 'api', 'test'];
const STEPS = ['state', 'version', 'changelog', 'dependencies', ...SCRIPTS.map((script) => `check: npm run ${script}`)];
const REST = ['pack', 'commit', 'tag', 'publish'];
/** They run at once, so each of them takes longer. */
const LIMITS = { timeout: 120_000 };

/** A workspace that is released, and the registry that it is published to. */
interface Scratch {
  readonly root: string;
  /** Bodies of the requests that publish. */
  readonly published: readonly string[];
  /** The registry's address. */
  readonly registry: string;
  /** All requests to the registry. */
  readonly asked: readonly string[];
}

describe.concurrent('a dry run of a release', LIMITS, () => {
  it('names each step and changes nothing', async (context) => {
    const scratch = await start(context);
    const before = await state(scratch);

    const { output, code } = await release(scratch, '--dry-run');

    expect(code).toBe(0);
    const steps = [...output.matchAll(/^== (.+)$/gm)].map((match) => match[1]!);
    expect(steps.map((step) => step.split(',', 1)[0])).toEqual([...STEPS, ...REST]);
    expect(output).toContain(`## 0.1.0 - ${new Date().toISOString().slice(0, 10)}\n### Added\n\n- A job.`);
    expect(output).toMatch(/scratch-0\.1\.0\.tgz: 3 files/);
    expect(await state(scratch)).toEqual(before);
    expect(scratch.published).toEqual([]);
  });

  it('goes on in a tree with changes, and says that a release would be refused', async (context) => {
    const scratch = await start(context);
    await writeFile(join(scratch.root, 'CHANGELOG.md'), 'changed');
    const { output, code } = await release(scratch, '--dry-run', '--version', '0.3.0');
    expect([code, output]).toEqual([0, expect.stringContaining('A release would be refused: there are changes')]);
    expect(await readFile(join(scratch.root, 'CHANGELOG.md'), 'utf8')).toBe('changed');
  });
});

describe.concurrent('a release', LIMITS, () => {
  it('commits, tags and publishes the tarball that was checked', async (context) => {
    const scratch = await start(context);
    const { output, code } = await release(scratch, '--version', '0.2.0');

    expect([code, output]).toEqual([0, expect.stringContaining('git push --follow-tags origin main')]);
    expect(await git(scratch, 'log', '-1', '--format=%s%d')).toBe('chore(release): 0.2.0 (HEAD -> main, tag: v0.2.0)');
    expect(await git(scratch, 'status', '--porcelain')).toBe('');
    expect(await git(scratch, 'grep', '-c', String.raw`0\.1\.0`).catch(() => 'none')).toBe('none');
    expect(scratch.published).toHaveLength(1);
    const { versions }: { versions: Record<string, { dist: { integrity: string } }> } = JSON.parse(
      scratch.published[0]!,
    );
    expect(output).toContain(`scratch-0.2.0.tgz: 3 files, 1 KB, ${versions['0.2.0']!.dist.integrity}`);
  });

  it('takes the version that the commits since the last one ask for', async (context) => {
    const scratch = await start(context);
    await git(scratch, 'tag', 'v0.1.0');
    await commit(scratch, 'fix: a mistake', '--allow-empty');
    // The version is known before the checks, of which the first ends it.
    await breakScript(scratch, 'lint');
    const { output } = await release(scratch, '--dry-run');
    expect(output).toContain('0.1.1, after 0.1.0');
  });

  it.for<[string, (scratch: Scratch) => Promise<unknown>, string]>([
    ['a tree with changes', ({ root }) => writeFile(join(root, 'added.txt'), ''), 'changes that are not committed'],
    ['another branch', (scratch) => git(scratch, 'switch', '--quiet', '--create', 'other'), 'the branch is other'],
    ['a failed check', (scratch) => breakScript(scratch, 'lint'), 'npm run --silent lint has ended with 1'],
    ['a failed test', (scratch) => breakScript(scratch, 'test'), 'npm run --silent test has ended with 1'],
    [
      'an empty section',
      (scratch) => overwrite(scratch, 'CHANGELOG.md', '# Changelog\n\n## Unreleased\n'),
      'nothing in it',
    ],
  ])('is refused for %s, and leaves no trace', async ([, make, problem], context) => {
    const scratch = await start(context);
    await make(scratch);
    const before = await state(scratch);
    const { output, code } = await release(scratch);
    expect([code, output]).toEqual([1, expect.stringContaining(problem)]);
    expect(await state(scratch)).toEqual(before);
    expect(scratch.published).toEqual([]);
  });
});

describe.concurrent('a release in a workflow', LIMITS, () => {
  it('is refused without what provenance needs', async (context) => {
    const scratch = await start(context);

    const { output, code } = await releaseIn({ GITHUB_ACTIONS: 'true' }, scratch);

    expect([code, output]).toEqual([1, expect.stringContaining('has no repository, which provenance needs')]);
    expect(output).toContain('lacks the permission "id-token: write"');
    expect(scratch.published).toEqual([]);
  });

  it('is published with provenance, or not at all', async (context) => {
    const scratch = await start(context);
    const manifest = { name: 'scratch', version: '0.1.0', repository: 'github:someone/scratch' };
    await overwrite(scratch, 'libs/elastic-job/package.json', JSON.stringify(manifest, null, 2));
    const workflow = {
      GITHUB_ACTIONS: 'true',
      // It answers without a token.
      ACTIONS_ID_TOKEN_REQUEST_URL: `${scratch.registry}token?from=github`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'none',
    };

    const { output, code } = await releaseIn(workflow, scratch);

    expect([code, output]).toEqual([1, expect.stringContaining('--access public --tag latest --provenance')]);
    expect(scratch.asked).toContainEqual(expect.stringMatching(/^GET \/token\?from=github&audience=sigstore/));
    expect(scratch.published).toEqual([]);
  });
});

/** @param context of the test: alone it knows which of the concurrent tests ends */
async function start(context: TestContext): Promise<Scratch> {
  const published: string[] = [];
  const asked: string[] = [];
  const registry = createServer(async (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const isPut = request.method === 'PUT';
    if (isPut) published.push(await text(request));
    response.writeHead(isPut ? 201 : 404, { 'content-type': 'application/json' }).end('{}');
  });
  let root: string | undefined;
  context.onTestFinished(async () => {
    registry.close();
    if (root !== undefined) await rm(root, { recursive: true });
  });
  const port = await listen(registry);
  root = await mkdtemp(join(tmpdir(), 'release-spec-'));
  const scratch = { root, published, asked, registry: `http://127.0.0.1:${port}/` };
  for (const [file, content] of Object.entries(workspace(port))) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), content);
  }
  await git(scratch, 'init', '--quiet', '--initial-branch', 'main');
  await commit(scratch, 'feat: all of it');
  return scratch;
}

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

async function breakScript(scratch: Scratch, name: string): Promise<void> {
  const manifest = await readFile(join(scratch.root, 'package.json'), 'utf8');
  await overwrite(scratch, 'package.json', manifest.replace(`"${name}": "node --eval 0"`, `"${name}": "exit 1"`));
}

async function overwrite(scratch: Scratch, file: string, content: string): Promise<void> {
  await writeFile(join(scratch.root, file), content);
  await commit(scratch, 'test: another file');
}

function release(scratch: Scratch, ...args: readonly string[]) {
  return releaseIn({ GITHUB_ACTIONS: undefined }, scratch, ...args);
}

function releaseIn(
  variables: NodeJS.ProcessEnv,
  { root }: Scratch,
  ...args: readonly string[]
): Promise<{ readonly output: string; readonly code: unknown }> {
  const options = { cwd: root, env: { ...env(), ACTIONS_ID_TOKEN_REQUEST_URL: undefined, ...variables } };
  return new Promise((done) => {
    execFile(process.execPath, ['--import', HOOKS, RELEASE, ...args], options, (error, out, err) =>
      done({ output: out + err, code: error?.code ?? 0 }),
    );
  });
}

/** All that a release may change. */
async function state(scratch: Scratch): Promise<readonly unknown[]> {
  return [
    await git(scratch, 'log', '--all', '--format=%H%d'),
    await git(scratch, 'status', '--porcelain', '--ignored'),
    await git(scratch, 'worktree', 'list'),
    (await readdir(scratch.root)).toSorted(),
  ];
}

async function commit(scratch: Scratch, message: string, ...options: readonly string[]): Promise<void> {
  await git(scratch, 'add', '--all');
  await git(scratch, 'commit', '--quiet', '--message', message, ...options);
}

async function git({ root }: Scratch, ...args: readonly string[]): Promise<string> {
  return (await promisify(execFile)('git', args, { cwd: root, env: env() })).stdout.trimEnd();
}

function env(): NodeJS.ProcessEnv {
  const someone = { NAME: 'someone', EMAIL: 'someone@example.org' };
  const people = Object.entries(someone).flatMap(([key, value]) =>
    ['AUTHOR', 'COMMITTER'].map((role) => [`GIT_${role}_${key}`, value]),
  );
  return { ...process.env, ...Object.fromEntries(people) };
}
