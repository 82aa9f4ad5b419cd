import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rename, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Plugin } from 'vite';
import { type Bundle, bundle } from '@test/support/bundle/bundle.js';
import { PROTOCOL } from '../../libs/elastic-job/src/domain/index.js';

const run = promisify(execFile);
const WORKSPACE = fileURLToPath(new URL('../../', import.meta.url));
const LIBRARY = 'libs/elastic-job/src/';
const FORMER = new URL('former-release.json', import.meta.url);
const CACHE = `${tmpdir()}/nestjs-elastic-job-releases/`;
const WORKER = 'test/chaos/cluster/stage/worker.fixture.ts';

/** A worker process with the library of one release. */
export interface Release {
  readonly name: string;
  /** The protocol of its label, and of its records once all instances know it. */
  readonly protocol: number;
  /** The script of the worker. */
  readonly program: string;
}

export interface Releases extends Pick<Bundle, 'remove'> {
  /** The release of an earlier commit, which `former-release.json` names. */
  readonly former: Release;
  /** The release in this workspace. */
  readonly present: Release;
  /**
   * Like present, but with the next protocol, whose records have one field less. It writes one field more, in either
   * protocol: a holder that keeps its item through a rollback would drop it else, and not the older releases.
   */
  readonly next: Release;
}

/** Builds the same worker with the library of each release. */
export async function buildReleases(): Promise<Releases> {
  const { commit }: { readonly commit: string } = JSON.parse(await readFile(FORMER, 'utf8'));
  const sources = await sourcesOf(commit);
  const protocol = PROTOCOL + 1;
  const bundles = await Promise.all([
    bundle({ worker: WORKER }, [], [libraryAt(`${sources}/${LIBRARY}`)]),
    bundle({ worker: WORKER }),
    bundle({ worker: WORKER }, [], [nextProtocol(protocol)]),
  ]);
  const [former, present, next] = bundles.map((made) => fileURLToPath(made.url('worker')));
  return {
    former: { name: commit.slice(0, 8), protocol: await protocolOf(sources), program: former! },
    present: { name: 'present', protocol: PROTOCOL, program: present! },
    next: { name: 'next', protocol, program: next! },
    remove: async () => void (await Promise.all(bundles.map((made) => made.remove()))),
  };
}

/**
 * The part of the workspace that the library needs, as of a commit. It is kept from run to run. Its packages are those
 * of today.
 */
async function sourcesOf(commit: string): Promise<string> {
  const kept = `${CACHE}${commit}`;
  if (!(await stat(kept).catch(() => undefined))) await fetchSources(commit, kept);
  // Another workspace, which may be gone, may have made this link.
  await rm(`${kept}/node_modules`, { force: true });
  await symlink(`${WORKSPACE}node_modules`, `${kept}/node_modules`);
  return realpath(kept);
}

async function fetchSources(commit: string, kept: string): Promise<void> {
  await git('cat-file', '-e', `${commit}^{commit}`).catch((cause: unknown) => {
    const remedy = 'a shallow clone has no earlier commits: git fetch --unshallow';
    throw new Error(`Commit ${commit} of test/versions/former-release.json is not in this clone; ${remedy}`, { cause });
  });
  await mkdir(CACHE, { recursive: true });
  const directory = await mkdtemp(CACHE);
  const archive = `${directory}.tar`;
  await git('archive', '--output', archive, commit, LIBRARY, 'tsconfig.json');
  await run('tar', ['-xf', archive, '-C', directory]);
  await rm(archive);
  // Another process may have been faster.
  await rename(directory, kept).catch(() => rm(directory, { recursive: true }));
}

function git(...args: readonly string[]): Promise<unknown> {
  return run('git', args, { cwd: WORKSPACE });
}

async function protocolOf(sources: string): Promise<number> {
  const text = await readFile(`${sources}/${LIBRARY}domain/protocol.ts`, 'utf8');
  return Number(/PROTOCOL = (\d+)/.exec(text)?.[1]);
}

/** Takes the library from another place, and everything else from the workspace. */
function libraryAt(place: string): Plugin {
  const own = `${WORKSPACE}${LIBRARY}`;
  return {
    name: 'library-at',
    enforce: 'pre',
    async resolveId(source, importer, options) {
      const found = await this.resolve(source, importer, { ...options, skipSelf: true });
      return found?.id.startsWith(own) ? { ...found, id: `${place}${found.id.slice(own.length)}` } : found;
    },
    generateBundle(_, chunks) {
      const ids = Object.values(chunks).flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
      const stray = ids.filter((id) => id.startsWith(own));
      if (stray.length > 0) throw new Error(`Taken from the workspace instead of ${place}: ${stray.join(', ')}`);
    },
  };
}

/** Changes of a release with a new format of the record. */
function nextProtocol(protocol: number): Plugin {
  const changes = new Map<string, readonly [before: string, after: string]>([
    ['domain/protocol.ts', [`PROTOCOL = ${PROTOCOL};`, `PROTOCOL = ${protocol};`]],
    [
      'domain/run/run-record.ts',
      [
        'JSON.stringify({ v: protocol, ...record })',
        `JSON.stringify({ v: protocol, ...record, later: { run: record.run }, ` +
          `...(protocol >= ${protocol} && { attempt: undefined }) })`,
      ],
    ],
  ]);
  return {
    name: 'next-protocol',
    enforce: 'pre',
    transform(code, id) {
      const change = changes.get(id.slice(`${WORKSPACE}${LIBRARY}`.length));
      if (change === undefined) return undefined;
      const [before, after] = change;
      if (!code.includes(before)) throw new Error(`${id} has no "${before}" for the next protocol to change.`);
      return { code: code.replace(before, after), map: null };
    },
  };
}
