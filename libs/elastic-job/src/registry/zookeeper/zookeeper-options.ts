import { ConfigurationError, Hidden } from '../../domain/index.js';
import { Namespace } from '../namespace.js';
import {
  type Credentials,
  parseServerList,
  type SaslCredentials,
  type ServerAddress,
  type TlsSource,
  uncheckedBy,
} from './wire/index.js';

/** Address of an ensemble, the namespace to use in it, and limits. Times are in milliseconds. */
export interface ZooKeeperOptions {
  /** `host:port` or `[IPv6 address]:port`, separated by commas; the default port is 2181. */
  readonly servers: string;
  /** Created if missing. May have several levels (`shop/orders`). */
  readonly namespace: string;
  /**
   * `user:password`. Every created node then belongs to this user alone. Connecting, and joining a job, fail with an
   * `UntrustedAclError` if others may change the namespace or the job's root; a job's `config` that others may write is
   * not followed. Parents of the namespace are not judged, since ZooKeeper does not delete a node that has children.
   */
  readonly digest?: string;
  /**
   * Authenticates by SASL with DIGEST-MD5, for servers with a JAAS configuration. Created nodes belong to this user
   * alone, and the same checks apply as with `digest`. The password itself is not sent.
   */
  readonly sasl?: SaslCredentials;
  /** Accepts a namespace and jobs that others may change, and warns of the first one. @default false */
  readonly allowOpenAcl?: boolean;
  /**
   * Time for which the ensemble keeps the ephemeral nodes of a client that it does not hear. A crash is noticed after
   * this time, and up to a tick later. The servers may grant less or more, which is warned of. @default 15_000
   */
  readonly sessionTimeoutMs?: number;
  /**
   * Connects over TLS, with these options of `node:tls`: `ca`, `cert`, `key`, `servername` ... For certificates that
   * are renewed give `caFile`, `certFile` and `keyFile` (or `pfxFile`), or a function that returns all options: files
   * are read and the function is called for each connection.
   */
  readonly tls?: TlsSource;
  /**
   * Refuses to connect without `tls`, and to a server whose certificate was not checked: `rejectUnauthorized: false`
   * and an own `checkServerIdentity` are refused, and `NODE_TLS_REJECT_UNAUTHORIZED` has no effect. A digest over plain
   * TCP beyond this host, or to a server that is not checked, is warned of in any case.
   * @default false
   */
  readonly requireTls?: boolean;
  /**
   * The servers' `tickTime`. The death of a session may become known a tick late; with this option the client allows
   * for that.
   * @default not considered
   */
  readonly serverTickMs?: number;
  /** Longest wait for the first session. @default 9_000 */
  readonly connectionTimeoutMs?: number;
  /** Longest wait for an answer, for requests that set no limit. @default 10_000 */
  readonly requestTimeoutMs?: number;
  /** Largest request in bytes, just below the server's `jute.maxbuffer`. @default 1_000_000 */
  readonly maxRequestBytes?: number;
  /**
   * Thread that keeps the connection. `in-process`: the thread that uses it; while that thread computes, the ensemble
   * does not hear that this client is alive. `worker-thread`: a thread of its own, which keeps the session alive
   * meanwhile, at the cost of a thread and of a hop per request. What `tls` is or returns must then be transferable to
   * a thread. A function is called in this thread; while that is blocked, its latest options stand.
   * @default 'in-process'
   */
  readonly connection?: 'in-process' | 'worker-thread';
  /**
   * Time for which the thread that uses a `worker-thread` connection may be blocked. After it the worker gives up the
   * session, since a blocked thread cannot be told from one that hangs. It may take up to an eighth longer.
   * @default 60_000
   */
  readonly maxBlockedMs?: number;
  /**
   * Location of the worker thread's entry in a bundled application: a further entry of the bundle whose source is
   * `import 'nestjs-elastic-job/zookeeper-worker';`. @default the file of this package
   * @example new URL('./zookeeper-worker.js', import.meta.url)
   */
  readonly workerUrl?: URL;
}

/** Resolved options: checked, and with the defaults applied. */
export interface ResolvedZooKeeperOptions {
  /** The list as it was given, for messages. */
  readonly serverList: string;
  readonly servers: readonly ServerAddress[];
  readonly namespace: Namespace;
  readonly credentials: Hidden<Credentials>;
  /** True if created nodes belong to this client's user alone, false if to everyone. */
  readonly ownsNodes: boolean;
  readonly allowOpenAcl: boolean;
  readonly serverTickMs: number | undefined;
  readonly sessionTimeoutMs: number;
  readonly connectionTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly maxRequestBytes: number;
  readonly connection: 'in-process' | 'worker-thread';
  readonly maxBlockedMs: number;
  readonly workerUrl: URL | undefined;
}

/**
 * @throws {ConfigurationError} that names every wrong field with its value, except the secret ones of digest and sasl
 */
export function resolveZooKeeperOptions(options: ZooKeeperOptions): ResolvedZooKeeperOptions {
  const numbers = {
    sessionTimeoutMs: options.sessionTimeoutMs ?? 15_000,
    connectionTimeoutMs: options.connectionTimeoutMs ?? 9_000,
    requestTimeoutMs: options.requestTimeoutMs ?? 10_000,
    maxRequestBytes: options.maxRequestBytes ?? 1_000_000,
    maxBlockedMs: options.maxBlockedMs ?? 60_000,
  };
  const list = parseServerList(options.servers);
  const given = { ...numbers, ...(options.serverTickMs !== undefined && { serverTickMs: options.serverTickMs }) };
  const problems = [
    ...Object.entries(given)
      .filter(([, value]) => !Number.isInteger(value) || value < 1)
      .map(([field, value]) => `${field} is ${value}; it takes a whole number from 1`),
    ...(list.kind === 'wrong' ? [list.problem] : []),
    ...connectionProblems(options),
  ];
  if (list.kind === 'wrong' || problems.length > 0) throw new ConfigurationError('registry', problems);
  const requireTls = options.requireTls ?? false;
  return Object.freeze({
    ...numbers,
    serverList: options.servers,
    servers: list.servers,
    namespace: new Namespace(options.namespace),
    credentials: new Hidden({ digest: options.digest, sasl: options.sasl, tls: options.tls, requireTls }),
    ownsNodes: options.digest !== undefined || options.sasl !== undefined,
    allowOpenAcl: options.allowOpenAcl ?? false,
    serverTickMs: options.serverTickMs,
    connection: options.connection ?? 'in-process',
    workerUrl: options.workerUrl,
  });
}

/** Problems of the credentials and of the connection. */
function connectionProblems(options: ZooKeeperOptions): readonly string[] {
  const { digest, sasl, tls, requireTls, connection = 'in-process' } = options;
  const problems: string[] = [];
  if (digest !== undefined && !/^[^:]+:./s.test(digest)) {
    problems.push('digest (not shown) is not of the form user:password');
  }
  if (sasl !== undefined && !isSasl(sasl)) {
    problems.push('sasl (not shown) is not of the form { username, password }');
  }
  if (connection !== 'in-process' && connection !== 'worker-thread') {
    problems.push(`connection is ${JSON.stringify(connection)}; it takes "in-process" or "worker-thread"`);
  }
  if (connection === 'worker-thread' && typeof tls === 'object' && !isSendable(tls)) {
    problems.push('tls (not shown) holds a function or the like, which cannot be sent to a worker thread');
  }
  if (requireTls && !tls) problems.push('requireTls is true, but tls is not given');
  const unchecked = requireTls && typeof tls === 'object' ? uncheckedBy(tls) : undefined;
  if (unchecked !== undefined) {
    problems.push(
      `requireTls is true, but tls (not shown) has ${unchecked}, so any server could take the place of yours`,
    );
  }
  return problems;
}

function isSasl({ username, password }: SaslCredentials): boolean {
  return [username, password].every((text) => typeof text === 'string' && text !== '');
}

function isSendable(value: unknown): boolean {
  try {
    structuredClone(value);
    return true;
  } catch {
    return false;
  }
}
