import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** A release of Apache ElasticJob: a profile of the pom. */
export type JavaRelease = string;

/** Releases beside which the suites run, the newest first. `INTEROP_RELEASES` names others. */
export const RELEASES: readonly JavaRelease[] = (process.env['INTEROP_RELEASES'] ?? '3.0.4').split(',');

const run = promisify(execFile);
const PEER = fileURLToPath(new URL('../../interop/java/', import.meta.url));
const CLOUD_ORACLE = fileURLToPath(new URL('../../interop/cloud/java/', import.meta.url));
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/java-peer/', import.meta.url));
const BUILD_LIMIT_MS = 300_000;

/** Reason why this machine cannot build and run Java peers, as a sentence for a skipped test. Undefined if it can. */
export async function whyNoJava(): Promise<string | undefined> {
  const missing: string[] = [];
  for (const command of ['java', 'javac', 'mvn']) {
    await run(command, ['-version']).catch(() => missing.push(command));
  }
  return missing.length > 0 ? `needs ${missing.join(', ')}: install a JDK of 17 or later, and maven` : undefined;
}

/** The class path of the peer with that release, built at the first call. @throws if the build takes five minutes */
export function javaPeerClassPath(release: JavaRelease): Promise<string> {
  return classPathOf(PEER, release);
}

/** The class path of the oracle for ElasticJob-Cloud's texts, with its last release in Maven. @see javaPeerClassPath */
export function cloudOracleClassPath(): Promise<string> {
  return classPathOf(CLOUD_ORACLE, '3.0.2');
}

/** @param project the directory of a pom with a profile for the release */
async function classPathOf(project: string, release: JavaRelease): Promise<string> {
  const built = join(CACHE, `${release}-${await digestOf(project)}`);
  if (!(await exists(built))) await build(project, release, built);
  return [join(built, 'classes'), join(built, 'jars', '*')].join(delimiter);
}

async function build(project: string, release: JavaRelease, built: string): Promise<void> {
  console.info(`Building ${project} with ElasticJob ${release} ...`);
  const begunAt = performance.now();
  await mkdir(CACHE, { recursive: true });
  const unfinished = await mkdtemp(join(CACHE, 'unfinished-'));
  try {
    const options = ['-B', '-ntp', '-q', '-f', join(project, 'pom.xml'), '-P', release, `-Dbuilt=${unfinished}`];
    await run('mvn', [...options, 'compile'], { timeout: BUILD_LIMIT_MS });
    // Another process may have been faster. Its result is the same.
    await rename(unfinished, built).catch(async (error: unknown) => {
      if (!(await exists(built))) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  console.info(`... built in ${((performance.now() - begunAt) / 1_000).toFixed(1)} s.`);
}

/** Digest of the sources, so that other sources get another directory. */
async function digestOf(directory: string): Promise<string> {
  const digest = createHash('sha256');
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  for (const file of files.toSorted()) digest.update(file).update(await readFile(file));
  return digest.digest('hex').slice(0, 16);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
