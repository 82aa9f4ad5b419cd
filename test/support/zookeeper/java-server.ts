import { execFile } from 'node:child_process';
import { access, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startGuarded, type GuardedProcess } from './guarded-process.js';
import { javaCommand, zooCfg } from './server-command.js';

const run = promisify(execFile);

const JARS = '/usr/share/java';
/** Debian's server, whose manifest names most of the jars that it needs. */
const SERVER = `${JARS}/zookeeper.jar`;
/** Jars that the manifest leaves out: a logger, without which the server runs silently, and parts of Netty. */
const REST = [
  'slf4j-simple',
  'netty-codec',
  'netty-resolver',
  'netty-transport-native-unix-common',
  'netty-tcnative',
].map((name) => `${JARS}/${name}.jar`);

/** The Java class path of Debian's ZooKeeper, which is of version 3.8. */
export const DEBIAN_CLASS_PATH = [SERVER, ...REST].join(':');

const INSTALL_LIMIT_MS = 300_000;

/** True if Debian's ZooKeeper and a Java to run it are installed. */
export async function javaServerInstalled(): Promise<boolean> {
  return (await succeeds(access(SERVER))) && (await succeeds(run('java', ['-version'])));
}

/** Installs Debian's packages, where this process may. @returns true if the server can be started afterwards */
export async function installJavaServer(): Promise<boolean> {
  if (process.getuid?.() !== 0 || !(await succeeds(run('apt-get', ['--version'])))) return false;
  const packages = ['zookeeper', ...((await succeeds(run('java', ['-version']))) ? [] : ['default-jre-headless'])];
  process.stderr.write(`No ZooKeeper server found; installing ${packages.join(' and ')} ...\n`);
  const options = {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    timeout: INSTALL_LIMIT_MS,
    maxBuffer: 64 * 1024 * 1024,
  };
  const locked = ['-o', 'DPkg::Lock::Timeout=120'];
  // An outdated package list may still be good enough, so a failed update alone decides nothing.
  await succeeds(run('apt-get', [...locked, 'update'], options));
  await succeeds(run('apt-get', [...locked, 'install', '-y', '--no-install-recommends', ...packages], options));
  return javaServerInstalled();
}

/** Starts a standalone server, tuned for tests: short ticks allow sessions of half a second and more. */
export async function startJavaServer(port: number): Promise<GuardedProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'zookeeper-'));
  const configuration = join(directory, 'zoo.cfg');
  await writeFile(configuration, zooCfg({ dataDir: join(directory, 'data'), clientPort: port }));
  return startGuarded(javaCommand({ classPath: DEBIAN_CLASS_PATH, configuration }), directory);
}

async function succeeds(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch {
    return false;
  }
}
