import type { Clock, Timer } from '../../clock/index.js';
import type { NodeChange } from '../known-subtree.js';
import { parentPath } from '../node-map.js';
import type { NodeOperation, Refusal, RegistryNode } from '../registry-center.js';
import { type LaneName, type MemoryLink, NO_ANSWER, UnservedRequest } from './memory-link.js';
import { News } from './memory-views.js';
import { type CommitResult, NodeTree } from './node-tree.js';

/** A client as the server sees it. */
export interface Peer {
  readonly link: MemoryLink;
  /** Receives the changes of one commit. @param isOwn true if this peer made them */
  receive(news: News, isOwn: boolean): void;
  /** The connection is gone. The client may come back over the link. */
  disconnected(): void;
  /** Cuts one direction of the link. */
  cut(lane: LaneName): void;
  uncut(lane: LaneName): void;
}

/** A session as the server keeps it, until its peer closes it or it is over. */
export interface ServerSession {
  readonly id: string;
  readonly timeoutMs: number;
  readonly peer: Peer;
  ended: boolean;
  /** True once its peer has opened another session, so that nothing more comes in this one. */
  isAbandoned: boolean;
  /** Runs while the server does not hear the peer. */
  expiry?: Timer;
  losesNextReply: boolean;
}

/** The server applies the request and still answers with one of ZooKeeper's error codes. */
interface AppliedFailure {
  readonly code: number;
  readonly isApplied: true;
}

/** Returns the answer that replaces an operation, a refusal or one of ZooKeeper's codes, or undefined to apply it. */
export type FailureRule = (
  operation: NodeOperation,
  sessionId: string,
) => Refusal | number | AppliedFailure | undefined;

/** Returns the answer that replaces serving a request of any kind, or undefined to serve it. */
export type RequestFailureRule = (sessionId: string) => number | AppliedFailure | undefined;

/** Answer to a request that was not applied for a reason other than a node's state. */
interface FailedRequest {
  readonly kind: 'failed';
  readonly index: number;
  readonly code: number;
}

/** One commit, with absolute paths. */
export interface Committed {
  readonly zxid: bigint;
  /** The session that wrote, or has ended. */
  readonly sessionId: string;
  readonly operations: readonly NodeOperation[];
  readonly changes: readonly NodeChange[];
}

/** The tree, the sessions, and the single order of all events. Paths are absolute. */
export class MemoryServer {
  private readonly tree = new NodeTree();
  private readonly sessions = new Map<string, ServerSession>();
  private readonly listeners = new Set<(committed: Committed) => void>();
  private readonly failures = new Set<FailureRule>();
  private readonly requestFailures = new Set<RequestFailureRule>();
  private zxid: bigint;

  constructor(readonly clock: Clock) {
    // Tokens are transaction ids: a new registry must count from above any earlier one that a guarded store remembers.
    this.zxid = BigInt(Math.floor(clock.wallNow() * 1000));
  }

  /**
   * Opens a session for a peer and creates the peer's root node. An earlier session of the peer lasts until its
   * timeout.
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
    if (peer.link.frozen) this.frozen(peer);
    return id;
  }

  /** Serves a request of a session. For an ended session it does nothing and ends its connection. */
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

  /** Takes a peer back after its connection broke. @returns true if its session is still alive. */
  resume(sessionId: string): boolean {
    const session = this.sessions.get(sessionId);
    if (!session || session.ended) return false;
    session.expiry?.cancel();
    session.expiry = undefined;
    if (session.peer.link.frozen) this.expireLater(session);
    return true;
  }

  /** Starts the timeout of a peer that stands still. Its session ends unless the peer is heard again. */
  frozen(peer: Peer): void {
    for (const session of this.sessionsOf(peer)) this.expireLater(session);
  }

  /** Takes back a peer that stood still. If the pause was too long, its connection ends. */
  thawed(peer: Peer): void {
    for (const session of this.sessionsOf(peer)) if (!this.resume(session.id)) this.disconnect(session);
  }

  /** Ends the peer's session, if it has one, and forgets it. */
  close(peer: Peer): void {
    for (const session of this.sessionsOf(peer)) {
      this.end(session);
      this.sessions.delete(session.id);
    }
  }

  /** Ends a session. All its ephemeral nodes go in one commit. */
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

  /** Applies a client's write, unless a rule prevents it. */
  write(sessionId: string, operations: readonly NodeOperation[]): CommitResult | FailedRequest {
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

  /** Applies the operations and sends the news to all peers, before the caller sends the reply. */
  commit(sessionId: string, operations: readonly NodeOperation[]): CommitResult {
    const zxid = this.zxid + 1n;
    const result = this.tree.apply(operations, { zxid, time: this.clock.wallNow(), sessionId });
    if (result.kind === 'refused') return result;
    this.zxid = zxid;
    for (const receive of this.listeners) receive({ zxid, sessionId, operations, changes: result.changes });
    const news = new News(result.changes);
    for (const { id, ended, isAbandoned, peer } of this.sessions.values()) {
      if (!ended && !isAbandoned) peer.link.notify(() => peer.receive(news, id === sessionId));
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

  /** Names of the children, or undefined if there is no such node. */
  children(path: string): readonly string[] | undefined {
    return this.tree.node(path) && this.tree.children(path);
  }

  /** The node and all nodes below it, parents first. */
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

  ensure(path: string, sessionId: string): void {
    if (this.tree.node(path)) return;
    this.ensure(parentPath(path) ?? '/', sessionId);
    this.commit(sessionId, [{ kind: 'create', path, data: '', mode: 'PERSISTENT' }]);
  }

  private loseReply(session: ServerSession | undefined): void {
    // The end of a session is not a write of its client.
    if (!session?.losesNextReply || session.ended) return;
    session.losesNextReply = false;
    this.disconnect(session);
  }
}
