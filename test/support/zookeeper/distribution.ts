import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DEBIAN_CLASS_PATH, installJavaServer, javaServerInstalled } from './java-server.js';

/** 3.8 is Debian's, 3.9 comes from Maven Central. */
export type ZooKeeperVersion = '3.8' | '3.9';

const run = promisify(execFile);
const POM = fileURLToPath(new URL('./zookeeper-3.9.pom.xml', import.meta.url));
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/zookeeper/', import.meta.url));
const DOWNLOAD_LIMIT_MS = 300_000;

/**
 * Reason why this machine cannot run servers of that version, as a sentence for a skipped test. Undefined if it can.
 * Continuous integration takes a skipped test for a failure.
 */
export async function whyUnavailable(version: ZooKeeperVersion): Promise<string | undefined> {
  if (version === '3.9') {
    const obtainable = (await exists(await jarDirectory())) || (await runs('mvn'));
    return obtainable ? undefined : 'ZooKeeper 3.9 comes from Maven Central: install maven and a Java runtime.';
  }
  const installed = (await javaServerInstalled()) || (await installJavaServer());
  return installed ? undefined : 'ZooKeeper 3.8 is Debian\'s: "apt-get install zookeeper default-jre-headless".';
}

/** @throws the sentence of `whyUnavailable`, if a part is missing */
export async function classPath(version: ZooKeeperVersion): Promise<string> {
  const reason = await whyUnavailable(version);
  if (reason) throw new Error(reason);
  return version === '3.8' ? DEBIAN_CLASS_PATH : join(await downloaded(), '*');
}

/** The directory with the jars of the pom, which are fetched once. */
async function downloaded(): Promise<string> {
  const jars = await jarDirectory();
  if (await exists(jars)) return jars;

  await mkdir(CACHE, { recursive: true });
  const unfinished = await mkdtemp(join(CACHE, 'unfinished-'));
  const options = ['-B', '-q', '-f', POM, 'dependency:copy-dependencies', `-DoutputDirectory=${unfinished}`];
  await run('mvn', options, { timeout: DOWNLOAD_LIMIT_MS });
  try {
    await rename(unfinished, jars);
  } catch (error) {
    // Another process was faster. Its files are the same.
    await rm(unfinished, { recursive: true });
    if (!(await exists(jars))) throw error;
  }
  return jars;
}

/** A directory by the content of the pom, so that another pom gets another one. */
async function jarDirectory(): Promise<string> {
  const digest = createHash('sha256').update(await readFile(POM));
  return join(CACHE, digest.digest('hex').slice(0, 16));
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function runs(command: string): Promise<boolean> {
  return run(command, ['-version']).then(
    () => true,
    () => false,
  );
}
