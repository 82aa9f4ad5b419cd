import type { TimeInterval } from '../domain/index.js';

/**
 * What the scheduler needs of a registry: ZooKeeper's own model, so that nothing is promised here which an ensemble
 * does not keep.
 *
 * - Paths are absolute, below the adapter's namespace (`/settle-orders/instances`); data is UTF-8 text.
 * - Absence is a value where it is asked for (`read`, `exists`); everywhere else it is an error. A lost connection is
 *   always an error, never "absent".
 * - A write whose reply was lost says so (`RegistryUnavailableError.fate === 'unknown'`). Nothing is sent twice
 *   unasked.
 * - A server that answers and refuses is not absent: `ServerError` and `NoAuthError` are errors of their own. Asking
 *   again at once does not help against them (`retry`).
 * - A plain read may be behind what another client has written, where the registry has several servers. Events of a
 *   subtree that precede a `sync` on it are in its view when the sync resolves.
 */
export interface RegistryCenter {
  /** Opens the first session. @throws {RegistryUnavailableError} if no server answered before the deadline. */
  connect(options?: RequestOptions): Promise<void>;
  /**
   * Ends the session, so that its ephemeral nodes go at once. Idempotent; never rejects.
   * @param options the first call's count
   */
  close(options?: CloseOptions): Promise<void>;

  readonly session: SessionInfo;
  /**
   * How long this process may still believe its session alive, in milliseconds; 0 when it may not. Synchronous, and
   * true also right after a pause of the process, before any state is told.
   */
  leaseRemainingMs(): number;
  /** Hears every change of state, in order, without duplicates. @returns a function that removes the listener. */
  onSession(listener: (session: SessionInfo) => void): () => void;
  /** Hears what may cost a session one day, in words for an operator. @returns a function that removes the listener. */
  onWarning(listener: (message: string) => void): () => void;

  /** The node, or undefined if there is none. */
  read(path: string, options?: RequestOptions): Promise<RegistryNode | undefined>;
  /**
   * The nodes, in the order of the paths, as they were at one moment; undefined where there is none. One request, if it
   * fits.
   */
  readMany(paths: readonly string[], options?: RequestOptions): Promise<readonly (RegistryNode | undefined)[]>;
  exists(path: string, options?: RequestOptions): Promise<NodeStat | undefined>;
  /** The names of the children, in no particular order. @throws {NoNodeError} */
  children(path: string, options?: RequestOptions): Promise<readonly string[]>;

  /**
   * @returns the path that was created: with a sequence number appended for the sequential modes.
   * @throws {NodeExistsError}
   * @throws {NoNodeError} if the parent is missing
   */
  create(path: string, data: string, mode: CreateMode, options?: RequestOptions): Promise<string>;
  /** Creates what is missing of a path as persistent, empty nodes. An existing node is left as it is. */
  ensurePath(path: string, options?: RequestOptions): Promise<void>;
  /**
   * @param version the expected data version (0 is a version like any other); undefined: any.
   * @throws {NoNodeError}
   * @throws {BadVersionError}
   */
  set(path: string, data: string, version?: number, options?: RequestOptions): Promise<NodeStat>;
  /** @throws {NoNodeError} @throws {BadVersionError} @throws {NotEmptyError} */
  delete(path: string, version?: number, options?: RequestOptions): Promise<void>;

  /**
   * All of the operations or none, in one request. A refusal is an answer: it names the first operation that failed.
   * What no state of nodes explains is an error, which names that operation's path.
   * @throws {RequestTooLargeError} before anything is sent. @throws {NoAuthError} @throws {ServerError}
   */
  transaction(operations: readonly Operation[], options?: TransactionOptions): Promise<TransactionResult>;

  /** Opens a view of everything at and below `path`; complete when the promise resolves. `path` need not exist yet. */
  openSubtree(path: string, listener: SubtreeListener, options?: SubtreeOptions): Promise<Subtree>;

  /**
   * Hears that a node's children have changed, or may have: their names are then to be read anew (`children`). Once
   * this resolves, every later change is heard. It belongs to the session in which it was opened. After a reconnect
   * within the session it says so once, whatever has happened meanwhile. A missing node is waited for.
   */
  watchChildren(path: string, onChange: () => void, options?: RequestOptions): Promise<ChildrenWatch>;

  /**
   * The registry's wall clock now, as far as own writes have shown it; from memory. It is fed, at no extra request, by
   * every answer that tells when a node was written: to a `create`, a `set`, and a transaction with a `set`. Undefined
   * before the first.
   */
  time(): TimeInterval | undefined;
  /**
   * The registry's wall clock, in milliseconds since the epoch, as read from a node that this call writes. Feeds
   * `time`.
   */
  serverTime(options?: RequestOptions): Promise<number>;

  /** Judges whose nodes are; undefined where every node is everybody's, as without credentials and in memory. */
  readonly owners?: NodeOwners | undefined;

  /** The size of a transaction as it is sent, in bytes, and the most that one may have. */
  readonly maxRequestBytes: number;
  transactionBytes(operations: readonly Operation[]): number;

  /** Requests sent so far: those that somebody waits for, and those that keep watches and subtree views alive. */
  readonly traffic: Readonly<RegistryTraffic>;
}

export interface ChildrenWatch {
  /** Idempotent. */
  close(): void;
}

/** Tells whose nodes are: this client's user's alone, or also others'. Readers do not count. */
export interface NodeOwners {
  /** One request. @returns undefined if there is no such node. @throws {NoAuthError} */
  ownerOf(path: string, options?: RequestOptions): Promise<NodeOwner | undefined>;
  /**
   * One request. For a node that is not there nothing is to be said.
   * @throws {UntrustedAclError} if others may change the node, or what is right below it, unless that is lived with
   */
  assertOwn(path: string, options?: RequestOptions): Promise<void>;
}

export interface NodeOwner {
  /** Of the node that was judged: another one of that path may be another's. */
  readonly czxid: bigint;
  /** The ACL, in words, if others than this client's user may change the node, or what is right below it. */
  readonly others: string | undefined;
}

export interface RegistryTraffic {
  foreground: number;
  background: number;
}

export interface CloseOptions {
  /**
   * Longest wait for the server, in milliseconds; without its answer the session ends by its timeout.
   * @default 2_000
   */
  readonly timeoutMs?: number;
}

export interface RequestOptions {
  /** Gives the request up; what was already sent may still be applied. The call rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Longest wait for the answer, in milliseconds. @default the adapter's `requestTimeoutMs` */
  readonly timeoutMs?: number;
}

export interface TransactionOptions extends RequestOptions {
  /**
   * Lets the transaction share a request with others of this session: those that come within one turn of the event loop
   * leave together, in the order of this instant, in milliseconds since the epoch; the small ones of one instant leave
   * first. Each is answered as if it had left alone, and is all or nothing by itself unless all of them are committed.
   * @default it leaves alone and at once
   */
  readonly dueAt?: number;
  /**
   * Lets such transactions of this session go first that are not patient: this one leaves once those are answered, or
   * 200 ms later, or before the next request that shares with nobody.
   * @default false
   */
  readonly isPatient?: boolean;
}

/**
 * Curator's words. CONNECTED: the first time. SUSPENDED: no server answers, the session may live on; stop starting
 * work. RECONNECTED: answers again; compare `id`, a new one is a new session. LOST: the session is over and everything
 * ephemeral with it; it never precedes SUSPENDED and is always followed by a new session or by the end.
 */
export type SessionState = 'CONNECTED' | 'SUSPENDED' | 'RECONNECTED' | 'LOST';

export interface SessionInfo {
  /** `undefined` before the first connection and after `close`. */
  readonly state: SessionState | undefined;
  /** Unique per session, in lower-case hexadecimal without leading zeros. */
  readonly id: string | undefined;
  /** What the server granted, in milliseconds. */
  readonly timeoutMs: number;
}

export interface NodeStat {
  /** Transaction ids of the creation and of the last write of the data. They only ever grow. */
  readonly czxid: bigint;
  readonly mzxid: bigint;
  /** Milliseconds since the epoch, on the registry's clock. */
  readonly ctime: number;
  readonly mtime: number;
  /** Data version; a re-created node starts at 0 again. */
  readonly version: number;
  /** The session that owns an ephemeral node, as in `SessionInfo.id`; undefined for a persistent one. */
  readonly ephemeralOwner: string | undefined;
}

export interface RegistryNode {
  readonly path: string;
  readonly data: string;
  readonly stat: NodeStat;
}

/**
 * CONTAINER: a persistent parent that the registry may remove some time after its last child has gone; whoever creates
 * a child meets NoNodeError then, and creates the parent again.
 */
export type CreateMode = 'PERSISTENT' | 'EPHEMERAL' | 'PERSISTENT_SEQUENTIAL' | 'EPHEMERAL_SEQUENTIAL' | 'CONTAINER';

export type Operation =
  | { readonly kind: 'check'; readonly path: string; readonly version?: number }
  | { readonly kind: 'create'; readonly path: string; readonly data: string; readonly mode: CreateMode }
  | { readonly kind: 'set'; readonly path: string; readonly data: string; readonly version?: number }
  | { readonly kind: 'delete'; readonly path: string; readonly version?: number };

export type OperationResult =
  | { readonly kind: 'check' }
  | { readonly kind: 'create'; readonly path: string }
  | { readonly kind: 'set'; readonly stat: NodeStat }
  | { readonly kind: 'delete' };

/** Why an operation was refused, in ZooKeeper's words: a state of nodes, which somebody else has brought about. */
export type Refusal = 'NO_NODE' | 'NODE_EXISTS' | 'BAD_VERSION' | 'NOT_EMPTY' | 'NO_CHILDREN_FOR_EPHEMERALS';

export type TransactionResult =
  | { readonly kind: 'committed'; readonly results: readonly OperationResult[] }
  | { readonly kind: 'refused'; readonly index: number; readonly path: string; readonly refusal: Refusal };

/** What happened to one node, in the order of the registry. `reset`: anything may have changed; read the view again. */
export type SubtreeEvent =
  { readonly kind: 'created' | 'changed' | 'deleted'; readonly path: string } | { readonly kind: 'reset' };

/** Called after the view shows the change. Must not throw. */
export type SubtreeListener = (event: SubtreeEvent) => void;

/** What a view takes in at most, whatever somebody has written below its root. */
export interface SubtreeBounds {
  /**
   * False: the view knows nothing of the node, nor of what is below it. Asked as a node appears, before anything is
   * read of it.
   */
  admits(path: string): boolean;
  /** True: nothing below the node would be admitted, so its children are not even listed. */
  isLeaf(path: string): boolean;
  /** The most characters that are kept of a node's value; of a longer one, as many and one more. */
  longest(path: string): number;
  /** The most children of one node that the view knows of. */
  readonly mostChildren: number;
  /**
   * A part of a value, or further children of a node, are left out. Told again whenever they are read again. Must not
   * throw.
   */
  onLeftOut(path: string, what: 'value' | 'children'): void;
}

export interface SubtreeOptions extends RequestOptions {
  /**
   * Whose values the view keeps. Of the others it keeps that they exist, at no request; their values can be loaded.
   * @default everybody's
   */
  readonly holds?: (path: string) => boolean;
  /** @default everything is taken in */
  readonly bounds?: SubtreeBounds;
}

/**
 * A view of a subtree, read from memory. It belongs to the session in which it was opened: after LOST every call throws
 * SessionLostError. After a reconnect within the session the view repairs itself and then says `reset`; a node that was
 * replaced by another one meanwhile is told apart only where its value is held.
 */
export interface Subtree {
  /** One request; when it resolves, the view holds everything that was committed before the call. */
  sync(options?: RequestOptions): Promise<void>;
  /** Whether there is such a node. */
  has(path: string): boolean;
  /**
   * The node, if it is held, or if its value was loaded or written by this client and has not changed since. Otherwise
   * undefined, also where there is such a node.
   */
  node(path: string): RegistryNode | undefined;
  /** The names of the children, in no particular order; empty if there is no such node. */
  children(path: string): readonly string[];
  /**
   * Makes the values of these nodes current. One request, or none if all of them are; where there is no node, none is
   * read.
   */
  load(paths: readonly string[], options?: RequestOptions): Promise<void>;
  close(): void;
}
