import type { ConnectionOptions as TlsOptions } from 'node:tls';
import { ConfigurationError } from '../../domain/index.js';
import { Namespace } from '../namespace.js';
import { parseServerList, type ServerAddress } from './server-list.js';

/** How to reach an ensemble, and the part of it to live in. Times are in milliseconds. */
export interface ZooKeeperOptions {
  /** `host:port` or `[IPv6 address]:port`, separated by commas; the port is 2181 unless given. */
  readonly servers: string;
  /** Created if missing; may have several levels (`shop/orders`). */
  readonly namespace: string;
  /** `user:password`. Every node that is created then belongs to this user alone. */
  readonly digest?: string;
  /** How long the ensemble keeps the ephemeral nodes of a client that it does not hear. It may grant less or more. @default 60_000 */
  readonly sessionTimeoutMs?: number;
  /** Connects over TLS, with these options of `node:tls`: `ca`, `cert`, `key`, `servername` ... */
  readonly tls?: TlsOptions;
  /**
   * The servers' `tickTime`. A session's death can become known a tick late; if it is given, this client allows for that.
   * @default not considered
   */
  readonly serverTickMs?: number;
  /** Longest wait for the first session. @default 9_000 */
  readonly connectionTimeoutMs?: number;
  /** Longest wait for an answer, where a request does not say. @default 10_000 */
  readonly requestTimeoutMs?: number;
  /** The most that one request may have, in bytes; just below the server's `jute.maxbuffer`. @default 1_000_000 */
  readonly maxRequestBytes?: number;
}

/** The options as they are used: checked, and with the defaults applied. */
export interface ResolvedZooKeeperOptions {
  /** As it was given, for messages. */
  readonly serverList: string;
  readonly servers: readonly ServerAddress[];
  readonly namespace: Namespace;
  readonly digest: string | undefined;
  readonly tls: TlsOptions | undefined;
  readonly serverTickMs: number | undefined;
  readonly sessionTimeoutMs: number;
  readonly connectionTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly maxRequestBytes: number;
}

/** @throws {ConfigurationError} that names every wrong field with its value, save the digest's, which is a secret. */
export function resolveZooKeeperOptions(options: ZooKeeperOptions): ResolvedZooKeeperOptions {
  const numbers = {
    sessionTimeoutMs: options.sessionTimeoutMs ?? 60_000,
    connectionTimeoutMs: options.connectionTimeoutMs ?? 9_000,
    requestTimeoutMs: options.requestTimeoutMs ?? 10_000,
    maxRequestBytes: options.maxRequestBytes ?? 1_000_000,
  };
  const list = parseServerList(options.servers);
  const given = { ...numbers, ...(options.serverTickMs !== undefined && { serverTickMs: options.serverTickMs }) };
  const problems = Object.entries(given)
    .filter(([, value]) => !Number.isInteger(value) || value < 1)
    .map(([field, value]) => `${field} is ${value}; it takes a whole number from 1`);
  if (list.kind === 'wrong') problems.push(list.problem);
  if (options.digest !== undefined && !/^[^:]+:./s.test(options.digest)) {
    problems.push('digest (not shown) is not of the form user:password');
  }
  if (list.kind === 'wrong' || problems.length > 0) throw new ConfigurationError('registry', problems);
  return Object.freeze({
    ...numbers,
    serverList: options.servers,
    servers: list.servers,
    namespace: new Namespace(options.namespace),
    digest: options.digest,
    tls: options.tls,
    serverTickMs: options.serverTickMs,
  });
}
