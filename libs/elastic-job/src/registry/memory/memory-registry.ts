import type { Clock } from '../../clock/index.js';
import { sharedClass } from '../../copies/index.js';
import { MemoryRegistryCenter, type MemoryRegistryCenterOptions } from './memory-registry-center.js';
import type { LaneName } from './memory-link.js';
import {
  type Committed,
  type FailureRule,
  MemoryServer,
  type RequestFailureRule,
  type ServerSession,
} from './memory-server.js';

/**
 * A registry inside this process, for any number of clients. It keeps ZooKeeper's rules of nodes, sessions,
 * transactions and order, and nothing on disk. A client's session lives as long as the link to it is in order.
 *
 * Faults are made at once, by the id of a session, and last until the client has a new one:
 *
 * | fault | the server | the client |
 * |---|---|---|
 * | `expire` | ends the session | SUSPENDED, LOST, RECONNECTED with a new session |
 * | `suspend` | ends the session after its timeout | SUSPENDED, after 4/5 of the timeout LOST, until `resume` |
 * | `cutOff` | ends the session | is not told: stays CONNECTED, a zombie whose requests time out, until `heal` |
 * | `loseNextReply` | commits the next write | the connection breaks before the reply: SUSPENDED, RECONNECTED |
 * | `cut` `requests` | hears nothing: ends the session after its timeout | hears news, but no replies: SUSPENDED after
 * 2/3 of the timeout, LOST after 4/5, until `uncut` |
 * | `cut` `replies` | hears and answers, until the client gives up | hears nothing: the same |
 *
 * A process that stands still is told by its client itself: `MemoryRegistryCenter.freeze` and `thaw`.
 *
 * Each of them throws a RangeError for the id of a session that no client has.
 */
@sharedClass('MemoryRegistry')
export class MemoryRegistry {
  private readonly server: MemoryServer;

  /** @param clock the server's own: the times of nodes, session timeouts, the first transaction id */
  constructor(clock: Clock) {
    this.server = new MemoryServer(clock);
  }

  /** A client, not connected yet. @throws {ConfigurationError} for a namespace that ZooKeeper would refuse. */
  center(options: MemoryRegistryCenterOptions): MemoryRegistryCenter {
    return new MemoryRegistryCenter(this.server, options);
  }

  /** Ends the session as its timeout would. The client is told. */
  expire(sessionId: string): void {
    const session = this.session(sessionId);
    this.server.end(session);
    this.server.disconnect(session);
  }

  /** Breaks the connection and lets no other be made. Requests in flight have an unknown fate. */
  suspend(sessionId: string): void {
    const session = this.session(sessionId);
    session.peer.link.break();
    this.server.expireLater(session);
    session.peer.disconnected();
  }

  /** Lets a suspended client connect again: in its session, or in a new one if that is over. */
  resume(sessionId: string): void {
    const session = this.session(sessionId);
    if (session.peer.link.broken) this.server.disconnect(session);
  }

  /** Makes a zombie: ends the session and leaves its client in the belief that it is connected. */
  cutOff(sessionId: string): void {
    const session = this.session(sessionId);
    session.peer.link.break();
    this.server.end(session);
  }

  /** Lets a client that was cut off learn of it: SUSPENDED, LOST, RECONNECTED with a new session. */
  heal(sessionId: string): void {
    this.resume(sessionId);
  }

  /** Commits the session's next write and breaks the connection before the reply: the write's fate is unknown. */
  loseNextReply(sessionId: string): void {
    this.session(sessionId).losesNextReply = true;
  }

  /**
   * Cuts one direction, without breaking the connection: what is sent waits.
   * @internal
   */
  cut(sessionId: string, lane: LaneName): void {
    this.session(sessionId).peer.cut(lane);
  }

  /**
   * Ends a cut: what was sent arrives, or the client connects anew if it has given up.
   * @internal
   */
  uncut(sessionId: string, lane: LaneName): void {
    this.session(sessionId).peer.uncut(lane);
  }

  /**
   * Answers writes with a refusal, or a code of ZooKeeper's such as -102 (no right) or -125 (a quota), instead of doing
   * them: for operations, with absolute paths, to which the rule gives one. A transaction fails as a whole, or is done
   * as a whole, if the rule says that.
   * @returns a function that ends the rule
   * @internal
   */
  fail(rule: FailureRule): () => void {
    return this.server.fail(rule);
  }

  /**
   * Answers requests of every kind, also those that read, with a code such as -127 (throttled).
   * @returns a function that ends the rule
   * @internal
   */
  failRequests(rule: RequestFailureRule): () => void {
    return this.server.failRequests(rule);
  }

  /**
   * Hears every commit as it happens, also the end of a session that had something ephemeral.
   * @returns a function that removes the listener
   * @internal
   */
  onCommit(listener: (committed: Committed) => void): () => void {
    return this.server.onCommit(listener);
  }

  /**
   * A fault can be made for the session. One that has ended is forgotten when its client closes it, or hears of its
   * end.
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
