import { publicCalls } from '../../async-context/index.js';
import type { Clock } from '../../clock/index.js';
import { sharedClass } from '../../copies/index.js';
import { Namespace } from '../namespace.js';
import { SharedRegistry } from '../shared-registry.js';
import { MemoryEnsemble } from './memory-ensemble.js';
import type { LaneName } from './memory-link.js';
import { CENTER_TABLE, type MemoryRegistryCenterOptions } from './memory-registry-center.rules.js';
import {
  type Committed,
  type FailureRule,
  MemoryServer,
  type RequestFailureRule,
  type ServerSession,
} from './memory-server.js';
import type { MemorySession } from './memory-session.js';

/**
 * A registry inside this process, for any number of clients. It follows ZooKeeper's rules for nodes, sessions,
 * transactions and order, and keeps nothing on disk. A client's session lives as long as the link to it works.
 *
 * Faults start at once. They are made for the id of a session and last until the client has a new one. In the table,
 * parts are parts of the session's timeout.
 *
 * | fault | the server | the client |
 * |---|---|---|
 * | `expire` | ends the session | SUSPENDED, LOST, RECONNECTED with a new session |
 * | `suspend` | ends the session after its timeout | SUSPENDED, after 4/5 LOST, until `resume` |
 * | `cutOff` | ends the session | is not told: CONNECTED, but its requests time out, until `heal` |
 * | `loseNextReply` | commits the next write | loses the connection before the reply: SUSPENDED, RECONNECTED |
 * | `cut` `requests` | hears nothing, ends it by timeout | hears news only: SUSPENDED after 2/3, LOST after 4/5 |
 * | `cut` `replies` | answers until the client gives up | hears nothing: SUSPENDED after 2/3, LOST after 4/5 |
 *
 * `uncut` ends a cut. A process that stands still is simulated by its own client: `MemoryRegistryCenter.freeze` and
 * `thaw`.
 *
 * Every fault throws a RangeError for the id of a session that no client has.
 */
@sharedClass('MemoryRegistry')
@publicCalls()
export class MemoryRegistry {
  private readonly server: MemoryServer;

  /** @param clock the server's clock: times of nodes, session timeouts, the first transaction id */
  constructor(clock: Clock) {
    this.server = new MemoryServer(clock);
  }

  /**
   * Creates a client that is not connected yet. @throws {ConfigurationError} for wrong and unknown options, and for a
   * namespace that ZooKeeper would refuse.
   */
  center(options: MemoryRegistryCenterOptions): MemoryRegistryCenter {
    return new MemoryRegistryCenter(this.server, CENTER_TABLE.checked('MemoryRegistry.center', options));
  }

  /** Ends the session as its timeout would. The client learns of it. */
  expire(sessionId: string): void {
    const session = this.session(sessionId);
    this.server.end(session);
    this.server.disconnect(session);
  }

  /** Breaks the connection and prevents a new one. The fate of requests in flight is unknown. */
  suspend(sessionId: string): void {
    const session = this.session(sessionId);
    session.peer.link.break();
    this.server.expireLater(session);
    session.peer.disconnected();
  }

  /** Lets a suspended client connect again: in its session, or in a new one if that has ended. */
  resume(sessionId: string): void {
    const session = this.session(sessionId);
    if (session.peer.link.broken) this.server.disconnect(session);
  }

  /** Makes a zombie: ends the session while its client still believes that it is connected. */
  cutOff(sessionId: string): void {
    const session = this.session(sessionId);
    session.peer.link.break();
    this.server.end(session);
  }

  /** Lets a client that was cut off learn of it: SUSPENDED, LOST, RECONNECTED with a new session. */
  heal(sessionId: string): void {
    this.resume(sessionId);
  }

  /**
   * Commits the session's next write and breaks the connection before the reply, so the fate of the write is unknown.
   */
  loseNextReply(sessionId: string): void {
    this.session(sessionId).losesNextReply = true;
  }

  /**
   * Cuts one direction without breaking the connection: messages in it wait.
   * @internal
   */
  cut(sessionId: string, lane: LaneName): void {
    this.session(sessionId).peer.cut(lane);
  }

  /**
   * Ends a cut: waiting messages arrive, or the client connects anew if it has given up.
   * @internal
   */
  uncut(sessionId: string, lane: LaneName): void {
    this.session(sessionId).peer.uncut(lane);
  }

  /**
   * Answers writes with a refusal or one of ZooKeeper's codes, such as -102 (no right) or -125 (a quota), instead of
   * applying them. It applies to operations, with absolute paths, for which the rule returns one. A transaction fails
   * as a whole, or is applied as a whole if the rule says so.
   * @returns a function that ends the rule
   * @internal
   */
  fail(rule: FailureRule): () => void {
    return this.server.fail(rule);
  }

  /**
   * Answers requests of every kind, reads included, with a code such as -127 (throttled).
   * @returns a function that ends the rule
   * @internal
   */
  failRequests(rule: RequestFailureRule): () => void {
    return this.server.failRequests(rule);
  }

  /**
   * Hears every commit as it happens, including the end of a session that had ephemeral nodes.
   * @returns a function that removes the listener
   * @internal
   */
  onCommit(listener: (committed: Committed) => void): () => void {
    return this.server.onCommit(listener);
  }

  /**
   * True if faults can be made for the session. An ended session is forgotten when its client closes it or learns of
   * its end.
   */
  knowsSession(sessionId: string): boolean {
    return this.server.session(sessionId) !== undefined;
  }

  private session(sessionId: string): ServerSession {
    const session = this.server.session(sessionId);
    if (!session) throw new RangeError(`No client of the memory registry has the session ${sessionId}.`);
    return session;
  }
}

/**
 * One client of a `MemoryRegistry`. Sizes are counted as ZooKeeper counts them, with the open ACL: a tree that fits
 * here fits there too.
 */
export class MemoryRegistryCenter extends SharedRegistry {
  private readonly client: MemorySession;

  /**
   * @internal
   * @throws {ConfigurationError} for a namespace that ZooKeeper would refuse.
   */
  constructor(server: MemoryServer, options: MemoryRegistryCenterOptions) {
    const { clock, latencyMs = 0, maxRequestBytes = 1_000_000 } = options;
    const resolved = { ...options, namespace: new Namespace(options.namespace), latencyMs };
    const ensemble = new MemoryEnsemble(server, resolved, maxRequestBytes);
    super(ensemble, clock);
    this.client = ensemble.client;
  }

  /**
   * Freezes the process of this client, as SIGSTOP does: messages that it has sent arrive, messages to it wait, and the
   * server ends its session after the timeout. Stop its clock as well. For simulations.
   */
  freeze(): void {
    this.client.freeze();
  }

  /** Lets the process go on. After too long a pause it first receives SUSPENDED and LOST, at once. */
  thaw(): void {
    this.client.thaw();
  }

  /** Cuts the network between this client and the registry for good. */
  unplug(): void {
    this.client.link.break();
    this.client.disconnected();
  }
}
