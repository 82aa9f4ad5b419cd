import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { classPath, type ZooKeeperVersion } from '../zookeeper/distribution.js';
import { guard, type Guard } from '../zookeeper/guard.js';
import { freePorts } from '../zookeeper/loopback.js';
import { javaCommand, type ServerSettings, zooCfg } from '../zookeeper/server-command.js';
import { ProcessClock } from './process-clock.js';
import { makeTlsMaterial, type TlsClientMaterial, type TlsOptions } from '../zookeeper/tls-material.js';

export interface TestServerOptions {
  /** @default '3.8' */
  readonly version?: ZooKeeperVersion;
  /** Lines for the `zoo.cfg` under ZooKeeper's names, such as `tickTime` and `minSessionTimeout` in milliseconds. */
  readonly settings?: ServerSettings;
  /** Such as `-Dzookeeper.enforceQuota=true` or `-Dznode.container.checkIntervalMs=500`. */
  readonly jvmFlags?: readonly string[];
  /** Opens a second port, for TLS; the first stays open. */
  readonly tls?: TlsOptions;
  /** Each server has a wall clock of its own. */
  readonly ownClock?: boolean;
}

/** Access of clients by TLS. */
export interface TlsAccess extends TlsClientMaterial {
  readonly connect: string;
  readonly port: number;
}

/** All parts that outlive one run of a server. */
export interface ServerLayout {
  readonly port: number;
  readonly tls: TlsAccess | undefined;
  readonly directory: string;
  readonly command: readonly string[];
  readonly clock: ProcessClock | undefined;
  /** Removes the directory. */
  readonly removal: Guard;
}

/** Makes the server log when it expires a session, to the millisecond. */
const LOG_FLAGS = [
  '-Dorg.slf4j.simpleLogger.log.org.apache.zookeeper.server.ZooKeeperServer=info',
  '-Dorg.slf4j.simpleLogger.showDateTime=true',
  "-Dorg.slf4j.simpleLogger.dateTimeFormat=yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
];

/**
 * Writes all files that a server needs, in a directory of its own.
 * @param myId its number in an ensemble
 */
export async function layOutServer(options: TestServerOptions, myId?: number): Promise<ServerLayout> {
  const { version = '3.8', settings = {}, jvmFlags = [], tls: tlsOptions, ownClock = false } = options;
  const jars = await classPath(version);
  const directory = await mkdtemp(join(tmpdir(), 'zookeeper-'));
  // A server that was killed a moment ago may still have been writing.
  const removal = guard('rm -rf "$1" || { sleep 1; rm -rf "$1"; }', directory);
  const [port = 0, securePort = 0] = await freePorts(2);
  const tls = tlsOptions && (await makeTlsMaterial(directory, tlsOptions));

  const dataDir = join(directory, 'data');
  await mkdir(dataDir);
  if (myId !== undefined) await writeFile(join(dataDir, 'myid'), `${myId}\n`);
  const configuration = join(directory, 'zoo.cfg');
  const secure = tls && { ...tls.settings, secureClientPort: securePort };
  await writeFile(configuration, zooCfg({ dataDir, clientPort: port, ...secure, ...settings }));
  return {
    port,
    tls: tls && { ...tls.client, connect: `127.0.0.1:${securePort}`, port: securePort },
    directory,
    clock: ownClock ? await ProcessClock.make() : undefined,
    command: javaCommand({ classPath: jars, configuration, jvmFlags: [...LOG_FLAGS, ...jvmFlags] }),
    removal,
  };
}
