import type { Clock, Timer } from '../../clock/index.js';
import { parentPath } from '../node-map.js';
import type { Operation, Refusal, RegistryNode } from '../registry-center.js';
import { type LaneName, type MemoryLink, NO_ANSWER } from './memory-link.js';
import { News } from './news.js';
import { type CommitResult, type NodeChange, NodeTree } from './node-tree.js';
import { UnservedRequest } from './pending-requests.js';

/** A client as the server sees it. */
export interface Peer {
  readonly link: MemoryLink;
  /** The changes of one commit have arrived. @param isOwn whether it was this peer's */
  hear(news: News, isOwn: boolean): void;
  /** The connection is gone; the client may come back over the link. */
  disconnected(): void;
  /** One direction of the link is cut. */
  cut(lane: LaneName): void;
  uncut(lane: LaneName): void;
}

/** A session as the server keeps it: until its peer says good-bye, or it is over. */
export interface ServerSession {
  readonly id: string;
  readonly timeoutMs: number;
  readonly peer: Peer;
  ended: boolean;
  /** Its peer has opened another one: nobody will be heard in it any more. */
  isAbandoned: boolean;
  /** Runs while the server does not hear the peer. */
  expiry?: Timer;
  losesNextReply: boolean;
}

/** The server does what it is asked for, and answers with a code of ZooKeeper's all the same. */
interface AppliedFailure {
  readonly code: number;
  readonly isApplied: true;
}

/**
 * What a server answers instead of doing an operation: a refusal, or a code of ZooKeeper's; undefined: nothing, it does
 * it.
 */
export type FailureRule = (operation: Operation, sessionId: string) => Refusal | number | AppliedFailure | undefined;

/** What a server answers to a request of any kind instead of serving it; undefined: nothing, it serves it. */
export type RequestFailureRule = (sessionId: string) => number | AppliedFailure | undefined;

/** The answer to a request that the server has not done for a reason that is none of a node's state. */
export interface FailedRequest {
  readonly kind: 'failed';
  readonly index: number;
  readonly code: number;
}

/** What has been written, with absolute paths. */
export interface Committed {
  readonly zxid: bigint;
  /** In whose name: of the session that wrote, or has ended. */
  readonly sessionId: string;
  readonly operations: readonly Operation[];
  readonly changes: readonly NodeChange[];
}

/** The tree, the sessions and the one order in which everything happens. Paths are absolute. */
export class MemoryServer {
  private readonly tree = new NodeTree();
  private readonly sessions = new Map<string, ServerSession>();
  private readonly listeners = new Set<(committed: Committed) => void>();
  private readonly failures = new Set<FailureRule>();
  private readonly requestFailures = new Set<RequestFailureRule>();
  private zxid: bigint;

  constructor(readonly clock: Clock) {
    // Tokens are transaction ids: a new registry must count from above an earlier one that a guarded store remembers.
    this.zxid = BigInt(Math.floor(clock.wallNow() * 1000));
  }

  /**
   * Opens a session for a peer and creates the node that is the peer's root. What the peer had before it has given up:
   * that session lasts until its timeout.
   */
  open(peer: Peer, timeoutMs: number, root: string): string {
    for (const session of this.sessionsOf(peer)) {
      session.isAbandoned = true;
      this.expireLater(session);
    }
    this.zxid += 1n;
    const id = this.zxid.toString(16);
    this.sessions.set(id, { id, timeoutMs, peer, ended: false, isAbandoned: false, losesNextReply: false });
    this.ensure(root, id);
    if (peer.link.frozen) this.unheard(peer);
    return id;
  }

  /** Does what a session asks for. Once that is over nothing is done in its name, and its connection ends. */
  serve<A>(sessionId: string, ask: (sessionId: string) => A): A | typeof NO_ANSWER {
    const session = this.sessions.get(sessionId);
    if (session && !session.ended) return this.answer(sessionId, ask);
    if (session) this.disconnect(session);
    return NO_ANSWER;
  }

  private answer<A>(sessionId: string, ask: (sessionId: string) => A): A {
    for (const rule of this.requestFailures) {
      const failure = rule(sessionId);
      if (failure === undefined) continue;
      if (typeof failure !== 'number') ask(sessionId);
      // oxlint-disable-next-line no-unsafe-type-assertion -- no answer: `PendingRequests` rejects with it
      return new UnservedRequest(typeof failure === 'number' ? failure : failure.code) as A;
    }
    return ask(sessionId);
  }

  /** Takes a peer back after its connection broke. @returns whether its session is still alive. */
  resume(sessionId: string): boolean {
    const session = this.sessions.get(sessionId);
    if (!session || session.ended) return false;
    session.expiry?.cancel();
    session.expiry = undefined;
    if (session.peer.link.frozen) this.expireLater(session);
    return true;
  }

  /** A peer stands still: its session ends after its timeout, unless the peer is heard again. */
  unheard(peer: Peer): void {
    for (const session of this.sessionsOf(peer)) this.expireLater(session);
  }

  /** A peer that stood still goes on. If that was too long, its connection ends. */
  heard(peer: Peer): void {
    for (const session of this.sessionsOf(peer)) if (!this.resume(session.id)) this.disconnect(session);
  }

  /** Ends what session the peer has and forgets it. */
  close(peer: Peer): void {
    for (const session of this.sessionsOf(peer)) {
      this.end(session);
      this.sessions.delete(session.id);
    }
  }

  /** Ends a session; everything ephemeral of it goes in one commit. */
  end(session: ServerSession): void {
    if (session.ended) return;
    session.ended = true;
    session.expiry?.cancel();
    const ephemerals = this.tree.ephemeralsOf(session.id).map(({ path }) => ({ kind: 'delete', path }) as const);
    if (ephemerals.length > 0) this.commit(session.id, ephemerals);
  }

  /** Ends a session after its timeout, unless its peer comes back. */
  expireLater(session: ServerSession): void {
    if (session.ended) return;
    session.expiry ??= this.clock.setTimer(session.timeoutMs, () => this.end(session));
  }

  session(sessionId: string): ServerSession | undefined {
    return this.sessions.get(sessionId);
  }

  /** Breaks a peer's connection; the network itself is in order. */
  disconnect({ peer }: ServerSession): void {
    peer.link.break();
    peer.link.mend();
    peer.disconnected();
  }

  /** What a client asks for: done, unless a rule keeps the server from it. */
  write(sessionId: string, operations: readonly Operation[]): CommitResult | FailedRequest {
    for (const [index, operation] of operations.entries()) {
      for (const rule of this.failures) {
        const answer = rule(operation, sessionId);
        if (answer === undefined) continue;
        if (typeof answer === 'string') return { kind: 'refused', index, refusal: answer };
        if (typeof answer === 'number') return { kind: 'failed', index, code: answer };
        this.commit(sessionId, operations);
        return { kind: 'failed', index, code: answer.code };
      }
    }
    return this.commit(sessionId, operations);
  }

  /** @returns a function that ends the rule */
  fail(rule: FailureRule): () => void {
    this.failures.add(rule);
    return () => void this.failures.delete(rule);
  }

  /** @returns a function that ends the rule */
  failRequests(rule: RequestFailureRule): () => void {
    this.requestFailures.add(rule);
    return () => void this.requestFailures.delete(rule);
  }

  /** Applies the operations and sends the news to everybody, before the reply that the caller will send. */
  commit(sessionId: string, operations: readonly Operation[]): CommitResult {
    const zxid = this.zxid + 1n;
    const result = this.tree.apply(operations, { zxid, time: this.clock.wallNow(), sessionId });
    if (result.kind === 'refused') return result;
    this.zxid = zxid;
    for (const hear of this.listeners) hear({ zxid, sessionId, operations, changes: result.changes });
    const news = new News(result.changes);
    for (const { id, ended, isAbandoned, peer } of this.sessions.values()) {
      if (!ended && !isAbandoned) peer.link.tell(() => peer.hear(news, id === sessionId));
    }
    this.loseReply(this.sessions.get(sessionId));
    return result;
  }

  onCommit(listener: (committed: Committed) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  node(path: string): RegistryNode | undefined {
    return this.tree.node(path);
  }

  /** The names of the children, or undefined if there is no such node. */
  children(path: string): readonly string[] | undefined {
    return this.tree.node(path) && this.tree.children(path);
  }

  /** The node and everything below it, parents first. */
  subtree(path: string): readonly RegistryNode[] {
    return this.tree.subtree(path);
  }

  /** Milliseconds since the epoch. */
  wallNow(): number {
    return this.clock.wallNow();
  }

  private sessionsOf(peer: Peer): readonly ServerSession[] {
    return [...this.sessions.values()].filter((session) => session.peer === peer && !session.isAbandoned);
  }

  private ensure(path: string, sessionId: string): void {
    if (this.tree.node(path)) return;
    this.ensure(parentPath(path) ?? '/', sessionId);
    this.commit(sessionId, [{ kind: 'create', path, data: '', mode: 'PERSISTENT' }]);
  }

  private loseReply(session: ServerSession | undefined): void {
    // The end of a session is no write of its client's.
    if (!session?.losesNextReply || session.ended) return;
    session.losesNextReply = false;
    this.disconnect(session);
  }
}
