import type { TimeInterval } from '../domain/index.js';
import type { CreateMode, NodeStat, Operation, TransactionResult } from './operations.js';

export type * from './operations.js';

/**
 * The registry as the scheduler needs it. `SharedRegistry` is it over any `Ensemble`, so it promises nothing that an
 * ensemble does not keep.
 *
 * - Paths are absolute, below the adapter's namespace (`/settle-orders/instances`); data is UTF-8 text.
 * - `read` and `exists` return undefined for a missing node; everywhere else a missing node is an error. A lost
 *   connection is always an error, never "absent".
 * - A write whose reply was lost says so (`RegistryUnavailableError.fate === 'unknown'`). No request is sent twice
 *   unless the caller repeats it.
 * - A server that answers and refuses is not absent: `ServerError` and `NoAuthError` are errors of their own. Repeating
 *   the request at once does not help against them (`retry`).
 * - With several servers, a plain read may miss recent writes of other clients. Events of a subtree that precede a
 *   `sync` on it are in its view when the sync resolves.
 */
export interface RegistryCenter {
  /** Opens the first session. @throws {RegistryUnavailableError} if no server answered before the deadline. */
  connect(options?: RequestOptions): Promise<void>;
  /**
   * Ends the session, so that its ephemeral nodes go at once. Idempotent; never rejects.
   * @param options only those of the first call count
   */
  close(options?: CloseOptions): Promise<void>;

  readonly session: SessionInfo;
  /**
   * Milliseconds for which this process may still believe in its session; 0 when it may not. Synchronous, and correct
   * also right after a pause of the process, before any state is told.
   */
  leaseRemainingMs(): number;
  /** Hears every change of state, in order, without duplicates. @returns a function that removes the listener. */
  onSession(listener: (session: SessionInfo) => void): () => void;
  /**
   * Hears warnings, in words for an operator, about conditions that could eventually cost the session. A listener
   * that is given twice hears each of them once.
   * @returns a function that removes the listener.
   */
  onWarning(listener: (message: string) => void): () => void;

  /** The node, or undefined if it does not exist. */
  read(path: string, options?: RequestOptions): Promise<RegistryNode | undefined>;
  /**
   * The nodes in the order of the paths, as they were at one moment; undefined for a path without a node. One request,
   * if it fits.
   */
  readMany(paths: readonly string[], options?: RequestOptions): Promise<readonly (RegistryNode | undefined)[]>;
  exists(path: string, options?: RequestOptions): Promise<NodeStat | undefined>;
  /** The names of the children, in no particular order. @throws {NoNodeError} */
  children(path: string, options?: RequestOptions): Promise<readonly string[]>;
  /**
   * The names of the children of each node, in the order of the paths, as they were at one moment; undefined for a path
   * without a node. One request, if it fits.
   */
  childrenMany(paths: readonly string[], options?: RequestOptions): Promise<readonly (readonly string[] | undefined)[]>;

  /**
   * Creates a node.
   * @returns the path that was created, with a sequence number appended in the sequential modes
   * @throws {NodeExistsError} @throws {NoNodeError} if the parent is missing
   */
  create(path: string, data: string, mode: CreateMode, options?: RequestOptions): Promise<string>;
  /** Creates the missing levels of a path, and of the namespace (`/`), as persistent, empty nodes. Others stay. */
  ensurePath(path: string, options?: RequestOptions): Promise<void>;
  /**
   * Replaces the data of a node.
   * @param version the expected data version (0 is a version like any other); undefined: any
   * @throws {NoNodeError} @throws {BadVersionError}
   */
  set(path: string, data: string, version?: number, options?: RequestOptions): Promise<NodeStat>;
  /**
   * Deletes a node.
   * @throws {NoNodeError} @throws {BadVersionError} @throws {NotEmptyError}
   */
  delete(path: string, version?: number, options?: RequestOptions): Promise<void>;

  /**
   * Applies all operations or none, in one request. A refusal is an answer, which names the first operation that
   * failed. A failure that no state of the nodes explains is an error, with the path of that operation.
   * @throws {TypeError} if a path is named twice, except by sequential creations
   * @throws {RequestTooLargeError} before anything is sent @throws {NoAuthError} @throws {ServerError}
   */
  transaction(operations: readonly Operation[], options?: TransactionOptions): Promise<TransactionResult>;
  /**
   * Resolves in a later turn, once all transactions of this session with a `dueAt` are answered, except patient ones,
   * all callers of an answered `sync` go on, and other urgent work has ended, or after 200 ms. Callers resume in their
   * order, some in each turn.
   */
  calm(): Promise<void>;
  /** Begins urgent work of this process, for which `calm` waits. @returns a function that ends it, to be called once */
  beginUrgent(): () => void;

  /** Opens a view of `path` and all below it. It is complete when this resolves. `path` need not exist yet. */
  openSubtree(path: string, listener: SubtreeListener, options?: SubtreeOptions): Promise<Subtree>;

  /**
   * Hears that a node's children have changed, or may have; read their names again then (`children`). Every change
   * after this resolves is heard. The watch belongs to the session in which it was opened. After a reconnect within the
   * session it calls once, even if nothing has changed. A missing node is waited for.
   * @param onChange gets the path of the node that was created, changed or deleted; undefined: it may be any
   */
  watchChildren(
    path: string,
    onChange: (changed: string | undefined) => void,
    options?: WatchOptions,
  ): Promise<ChildrenWatch>;

  /**
   * The registry's wall clock now, from memory, as far as own writes have shown it. Every answer that tells when a node
   * was written feeds it, at no extra request: to a `create`, a `set`, and a transaction with a `set`. Undefined before
   * the first.
   */
  time(): TimeInterval | undefined;
  /**
   * The registry's wall clock, in milliseconds since the epoch, read from a node that this call writes. Feeds `time`.
   */
  serverTime(options?: RequestOptions): Promise<number>;

  /**
   * Judges which user's nodes are which; undefined where nodes have no owners, as without credentials and in memory.
   */
  readonly owners?: NodeOwners | undefined;

  /** Size of a transaction as it is sent, in bytes, and the largest allowed one. */
  readonly maxRequestBytes: number;
  transactionBytes(operations: readonly Operation[]): number;

  /**
   * Requests sent so far: foreground ones, for which a caller waits, and background ones, which keep watches and views
   * alive.
   */
  readonly traffic: Readonly<RegistryTraffic>;
}

export interface WatchOptions extends RequestOptions {
  /** Also hears of all nodes below, and of data written to them. It is one watch, and keeps none. @default false */
  readonly isDeep?: boolean;
}

export interface ChildrenWatch {
  /** Idempotent. */
  close(): void;
}

/** Tells if nodes belong to this client's user alone, or also to others. Read permissions do not count. */
export interface NodeOwners {
  /** Judges one node, with one request. @returns undefined if there is no such node. @throws {NoAuthError} */
  ownerOf(path: string, options?: RequestOptions): Promise<NodeOwner | undefined>;
  /**
   * Asserts that one node is this user's alone, with one request. A missing node passes.
   * @throws {UntrustedAclError} if others may change the node, or create nodes right below it, unless `allowOpenAcl` is
   * set
   */
  assertOwn(path: string, options?: RequestOptions): Promise<void>;
}

export interface NodeOwner {
  /** Identity of the judged node: a later node of the same path may belong to another user. */
  readonly czxid: bigint;
  /** The ACL in words, if others than this client's user may change the node, or create nodes right below it. */
  readonly others: string | undefined;
}

export interface RegistryTraffic {
  foreground: number;
  background: number;
}

/**
 * Curator's words. CONNECTED: the first session. SUSPENDED: no server answers, the session may live on; start no work.
 * RECONNECTED: a server answers again; compare `id`, since another id is a new session. LOST: the session is over, and
 * its ephemeral nodes with it; it always follows SUSPENDED, and a new session or the end follows it.
 */
export type SessionState = 'CONNECTED' | 'SUSPENDED' | 'RECONNECTED' | 'LOST';

export interface SessionInfo {
  /** `undefined` before the first connection and after `close`. */
  readonly state: SessionState | undefined;
  /** Unique per session, in lower-case hexadecimal without leading zeros. */
  readonly id: string | undefined;
  /** Session timeout that the server granted, in milliseconds. */
  readonly timeoutMs: number;
  /** Reason why the latest attempt to connect has failed, while there is no connection. */
  readonly problem?: string;
}

export interface RegistryNode {
  readonly path: string;
  readonly data: string;
  readonly stat: NodeStat;
}

/** Change of one node, in the order of the registry. `reset`: anything may have changed; read the view again. */
export type SubtreeEvent =
  { readonly kind: 'created' | 'changed' | 'deleted'; readonly path: string } | { readonly kind: 'reset' };

/** Called after the view shows the change. Must not throw. */
export type SubtreeListener = (event: SubtreeEvent) => void;

/** Limits to the nodes and values that a view takes in, as other clients may write anything below its root. */
export interface SubtreeBounds {
  /** False keeps the node, and everything below it, out of the view. Asked when a node appears, before it is read. */
  admits(path: string): boolean;
  /** True keeps the children of the node unread, as none of them would be admitted. */
  isLeaf(path: string): boolean;
  /** Longest value, in characters, that the view keeps of a node. A longer value is cut to one character more. */
  longest(path: string): number;
  /** Largest number of children that the view keeps for one node. */
  readonly mostChildren: number;
  /**
   * Called when a part of a value, or further children of a node, were left out, and again at each new read. Must not
   * throw.
   */
  onLeftOut(path: string, what: 'value' | 'children'): void;
}

export interface SubtreeOptions extends RequestOptions {
  /**
   * Selects the nodes whose values the view keeps. Of other nodes it keeps only the existence, at no request; their
   * values can be loaded.
   * @default all nodes
   */
  readonly holds?: (path: string) => boolean;
  /** @default no limits */
  readonly bounds?: SubtreeBounds;
}

/**
 * A view of a subtree, read from memory. It belongs to the session in which it was opened: after LOST every call throws
 * SessionLostError. After a reconnect within the session the view repairs itself and then emits `reset`. A node that
 * was replaced meanwhile is recognised only where its value is held.
 */
export interface Subtree {
  /**
   * Brings the view up to date with one request: afterwards it holds everything that was committed before the call, or
   * before `asOf`.
   */
  sync(options?: SyncOptions): Promise<void>;
  /** True if the node exists. */
  has(path: string): boolean;
  /**
   * The node, if its value is held, or was loaded or written by this client and has not changed since. Otherwise
   * undefined, even if the node exists.
   */
  node(path: string): RegistryNode | undefined;
  /**
   * Names of the children, in no particular order; empty if there is no such node. A list that was given stays as it
   * is: once a child has come or gone, another list is given.
   */
  children(path: string): readonly string[];
  /**
   * Makes the values of these nodes current, with one request, or none if all are current. Missing nodes are ignored.
   */
  load(paths: readonly string[], options?: RequestOptions): Promise<void>;
  close(): void;
}

export interface CloseOptions {
  /**
   * Longest wait for the server, in milliseconds. Without its answer the session ends by its timeout.
   * @default 2_000
   */
  readonly timeoutMs?: number;
}

export interface RequestOptions {
  /**
   * Abandons the request, which may still be applied if it was already sent. The call rejects with the signal's reason.
   */
  readonly signal?: AbortSignal;
  /** Longest wait for the answer, in milliseconds. @default the adapter's `requestTimeoutMs` */
  readonly timeoutMs?: number;
}

export interface SyncOptions extends RequestOptions {
  /**
   * Moment on the monotonic clock: commits before it are enough. A sync that left after it, up to 200 ms ago, then
   * answers this call too, without a request. @default now
   */
  readonly asOf?: number | undefined;
}

export interface TransactionOptions extends RequestOptions {
  /**
   * Instant, in milliseconds since the epoch, at which the transaction is due. It lets the transaction share a request
   * with others of this session: those of one turn of the event loop leave together, ordered by this instant, the
   * smallest first. Each one is answered as if it had left alone. If not all of them are committed, each is still all
   * or nothing by itself.
   * @default sent alone and at once
   */
  readonly dueAt?: number;
  /** True if `calm` need not wait for this transaction. @default false */
  readonly isPatient?: boolean;
}
