// npm run release -- [--dry-run] [--version x.y.z]: releases the last commit of main. All is made and checked in a copy
// of it, so a release that fails leaves nothing behind, and the tarball holds committed files alone. A dry run ends
// before the commit.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { prerelease } from 'semver';
import { dateChangelog, findVersionFault, nextVersion, readVersion, writeVersion } from './version.js';

const BRANCH = 'main';
const PACKAGE = 'libs/elastic-job';
const CHANGELOG = 'CHANGELOG.md';
const CHECKS = ['lint', 'typecheck', 'build:library', 'package:check', 'api'];
/** The checks that take minutes, which a dry run leaves out. */
const LONG_CHECKS = ['test'];

/** The answer of `npm pack --json`. */
interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly entryCount: number;
  readonly integrity: string;
}

const { values } = parseArgs({
  options: { 'dry-run': { type: 'boolean', default: false }, version: { type: 'string' } },
});
const isDry = values['dry-run'];
/** True in a workflow of GitHub, which signs for the commit and the build that a tarball is from. */
const isInWorkflow = process.env['GITHUB_ACTIONS'] === 'true';
const root = await git(process.cwd(), 'rev-parse', '--show-toplevel');
const folder = await mkdtemp(join(tmpdir(), 'release-'));
const copy = join(folder, 'copy');
try {
  await assertReleasable();
  const version = await chooseVersion(values.version);
  await git(root, 'worktree', 'add', '--quiet', '--detach', copy, 'HEAD');
  await prepare(version);
  await check();
  const tarball = await pack();
  if (isDry) tellRest(version);
  else await publish(version, tarball);
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  await git(root, 'worktree', 'remove', '--force', copy).catch(() => {});
  await rm(folder, { recursive: true, force: true });
}

/** Runs git. @returns its output without the last line's end */
async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', args, { cwd, maxBuffer: 2 ** 27 });
  return stdout.trimEnd();
}

/** Runs a command that shows its output. @throws if it fails */
async function run(cwd: string, command: string, ...args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { cwd, stdio: 'inherit' });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${[command, ...args].join(' ')} has ended with ${code}.`);
}

function step(text: string): void {
  console.log(`\n== ${text}`);
}

/** @throws if HEAD is not what is to be released; a dry run goes on */
async function assertReleasable(): Promise<void> {
  step('state');
  const [branch, changes] = [await git(root, 'branch', '--show-current'), await git(root, 'status', '--porcelain')];
  const faults = [
    ...(isInWorkflow ? await findProvenanceFaults() : []),
    ...(branch === BRANCH ? [] : [`the branch is ${branch || 'none'}, and not ${BRANCH}`]),
    ...(changes === '' ? [] : [`there are changes that are not committed:\n${changes}`]),
  ];
  if (faults.length > 0 && !isDry) throw new Error(`Nothing is released: ${faults.join('; ')}`);
  for (const fault of faults) console.log(`A release would be refused: ${fault}`);
  if (faults.length === 0) console.log(`${BRANCH} without changes, ${await git(root, 'rev-parse', '--short', 'HEAD')}`);
}

/** npm checks these as well, but only after commit and tag. */
async function findProvenanceFaults(): Promise<readonly string[]> {
  const { repository }: { readonly repository?: unknown } = JSON.parse(
    await readFile(join(root, PACKAGE, 'package.json'), 'utf8'),
  );
  return [
    ...(repository === undefined ? [`${PACKAGE}/package.json has no repository, which provenance needs`] : []),
    ...(process.env['ACTIONS_ID_TOKEN_REQUEST_URL'] === undefined
      ? ['the workflow lacks the permission "id-token: write", which provenance needs']
      : []),
  ];
}

/** @returns the given version, else the one that the commits ask for; of the first release that of package.json */
async function chooseVersion(given: string | undefined): Promise<string> {
  step('version');
  const tag = (await git(root, 'tag', '--list', 'v*', '--sort=-version:refname', '--merged')).split('\n')[0];
  const released = tag ? tag.slice(1) : undefined;
  const messages = tag ? (await git(root, 'log', '--format=%B%x00', `${tag}..HEAD`)).split('\0') : [];
  const next =
    released === undefined
      ? await readVersion(root)
      : nextVersion(
          released,
          messages.map((text) => text.trim()),
        );
  const version = given ?? next;
  if (version === undefined) throw new Error(`No commit since ${tag} is a feature, a fix or a change of performance.`);
  const fault = findVersionFault(version, released);
  if (fault !== undefined) throw new Error(`${fault}.`);
  console.log(`${version}, ${released === undefined ? 'the first release' : `after ${released}`}`);
  return version;
}

/** Writes version and changelog. */
async function prepare(version: string): Promise<void> {
  step('changelog');
  const file = join(copy, CHANGELOG);
  const dated = dateChangelog(await readFile(file, 'utf8'), version, new Date().toISOString().slice(0, 10));
  if (dated === undefined) throw new Error(`${CHANGELOG} has no section "Unreleased", or there is nothing in it.`);
  await writeFile(file, dated.text);
  await writeVersion(copy, await readVersion(copy), version);
  console.log(dated.text.slice(dated.text.indexOf(`## ${version}`)).split('\n', 1)[0]);
  console.log(dated.notes);
  await run(copy, 'git', '--no-pager', 'diff', '--stat');
}

async function check(): Promise<void> {
  step('dependencies');
  await run(copy, 'npm', 'ci', '--loglevel', 'error');
  for (const script of CHECKS) {
    step(`check: npm run ${script}`);
    await run(copy, 'npm', 'run', '--silent', script);
  }
  for (const script of LONG_CHECKS) {
    step(`check: npm run ${script}${isDry ? ', left out by a dry run' : ''}`);
    if (!isDry) await run(copy, 'npm', 'run', '--silent', script);
  }
}

/** @returns the path of the tarball */
async function pack(): Promise<string> {
  step('pack');
  const { stdout } = await promisify(execFile)('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: join(copy, PACKAGE),
    maxBuffer: 2 ** 27,
  });
  const [{ filename, size, entryCount, integrity }]: readonly [Packed] = JSON.parse(stdout);
  console.log(`${filename}: ${entryCount} files, ${Math.ceil(size / 1_000)} KB, ${integrity}`);
  return join(folder, filename);
}

function tellRest(version: string): void {
  for (const name of ['commit', 'tag', 'publish']) step(`${name}, left out by a dry run: ${version}`);
  console.log('\nNothing is changed.');
}

/** Commits and tags on the branch, and publishes the tarball that was checked. */
async function publish(version: string, tarball: string): Promise<void> {
  step('commit');
  await run(copy, 'git', 'commit', '--quiet', '--all', '--message', `chore(release): ${version}`);
  await run(root, 'git', 'merge', '--quiet', '--ff-only', await git(copy, 'rev-parse', 'HEAD'));
  step(`tag: v${version}`);
  await run(root, 'git', 'tag', '--annotate', `v${version}`, '--message', version);
  step('publish');
  const options = [
    '--access',
    'public',
    '--tag',
    prerelease(version) === null ? 'latest' : 'next',
    ...(isInWorkflow ? ['--provenance'] : []),
  ];
  try {
    await run(root, 'npm', 'publish', tarball, ...options);
  } catch (cause) {
    const kept = join(root, basename(tarball));
    await copyFile(tarball, kept);
    throw new Error(`Commit and tag are made. Once npm takes it: npm publish ${kept} ${options.join(' ')}`, { cause });
  }
  console.log(`\nPublished. What is left: git push --follow-tags origin ${BRANCH}`);
}
