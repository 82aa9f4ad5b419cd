import { dockerRuns, startDockerServer } from './docker-server.js';
import type { GuardedProcess } from './guarded-process.js';
import { installJavaServer, javaServerInstalled, startJavaServer } from './java-server.js';
import { freePort, serves } from './loopback.js';

/** A real ZooKeeper for tests and the demo. */
export interface ZooKeeperServer {
  /** The server list, such as `127.0.0.1:41234`. */
  readonly connect: string;
  /** The server's process, for tests that pause or kill it; undefined if it was configured from outside. */
  readonly pid: number | undefined;
  /** Ends the server and removes its data. A configured server is left alone. */
  stop(): Promise<void>;
}

const START_ATTEMPTS = 3;
const LOCAL_LIMIT_MS = 20_000;
/** The image may have to be pulled first. */
const DOCKER_LIMIT_MS = 180_000;

/**
 * The server named by `ZOOKEEPER_CONNECT`, or a new standalone one on a free loopback port, with its data in a
 * temporary directory. A new one comes from Debian's `zookeeper` package, which is installed first where this process
 * may, or from a running Docker engine. It ends with this process at the latest.
 * @throws one sentence that names the remedy, if there is no way to get a server
 */
export async function startZooKeeper(): Promise<ZooKeeperServer> {
  const configured = process.env['ZOOKEEPER_CONNECT'];
  if (configured) return { connect: configured, pid: undefined, stop: async () => {} };
  if ((await javaServerInstalled()) || (await installJavaServer())) return start(startJavaServer, LOCAL_LIMIT_MS);
  if (await dockerRuns()) return start(startDockerServer, DOCKER_LIMIT_MS);
  throw new Error(
    'No ZooKeeper server can be started here: set ZOOKEEPER_CONNECT to a running one (host:port), ' +
      'or install one with "apt-get install zookeeper default-jre-headless", or start Docker.',
  );
}

async function start(launch: (port: number) => Promise<GuardedProcess>, limitMs: number): Promise<ZooKeeperServer> {
  for (let attempt = 1; ; attempt += 1) {
    // Another process may take the port before the server binds it. The server then ends, and the next port is tried.
    const port = await freePort();
    const server = await launch(port);
    if (await serves(port, server.ended, limitMs)) {
      return { connect: `127.0.0.1:${port}`, pid: server.pid, stop: () => server.stop() };
    }
    await server.stop();
    if (attempt === START_ATTEMPTS) throw new Error(`The ZooKeeper server did not start: ${server.lastWords()}`);
  }
}
