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

/**
 * CONTAINER: a persistent parent that the registry may remove some time after its last child has gone. Creating a child
 * then fails with NoNodeError, and the parent must be created again.
 */
export type CreateMode = 'PERSISTENT' | 'EPHEMERAL' | 'PERSISTENT_SEQUENTIAL' | 'EPHEMERAL_SEQUENTIAL' | 'CONTAINER';

/**
 * Operation of a transaction. A transaction names each path once, since other stores refuse a key that is named twice.
 * What takes several operations of ZooKeeper on one node therefore has a word of its own, after the first four.
 */
export type Operation =
  | { readonly kind: 'check'; readonly path: string; readonly version?: number }
  | { readonly kind: 'create'; readonly path: string; readonly data: string; readonly mode: CreateMode }
  | { readonly kind: 'set'; readonly path: string; readonly data: string; readonly version?: number }
  | { readonly kind: 'delete'; readonly path: string; readonly version?: number }
  /** Checks that there is no such node, below a parent that there is. */
  | { readonly kind: 'absent'; readonly path: string }
  /**
   * Tells the watchers of a path of a node that comes and goes at once. A view that would hold its value may miss it.
   * Refused if the node is there.
   */
  | { readonly kind: 'notify'; readonly path: string }
  /**
   * Replaces a node, of that version if one is given, by a new one at version 0 that belongs to this client: an
   * ephemeral one to its session, and with credentials any node to its user. Refused if the node has children.
   */
  | {
      readonly kind: 'renew';
      readonly path: string;
      readonly data: string;
      readonly mode: CreateMode;
      readonly version?: number;
    }
  /**
   * Creates the election node of a job: ephemeral, and at version 1, so that a check of this version cannot match the
   * node of a Java leader, which stays at version 0. With a version, it replaces a node of that version.
   */
  | { readonly kind: 'lead'; readonly path: string; readonly data: string; readonly version?: number }
  /** Writes the term node of a job, and raises its version from `version` to `term`, the number of the term. */
  | {
      readonly kind: 'term';
      readonly path: string;
      readonly data: string;
      readonly version: number;
      readonly term: number;
    }
  /**
   * Creates a node as if it had been there and were written now. It is at version 1, and its result has the stat, whose
   * `mzxid` is the token of an item's first run.
   */
  | { readonly kind: 'token'; readonly path: string; readonly data: string };

/** ZooKeeper's own operations. */
export type NodeOperation = Extract<Operation, { readonly kind: 'check' | 'create' | 'set' | 'delete' }>;

/** Result of an operation: a check for `absent` and `notify`, a create for `renew`, a set for the last three. */
export type OperationResult =
  | { readonly kind: 'check' }
  | { readonly kind: 'create'; readonly path: string }
  | { readonly kind: 'set'; readonly stat: NodeStat }
  | { readonly kind: 'delete' };

/**
 * ZooKeeper's reasons for refusing an operation. Each is a state of the nodes that another client has brought about.
 */
export type Refusal = 'NO_NODE' | 'NODE_EXISTS' | 'BAD_VERSION' | 'NOT_EMPTY' | 'NO_CHILDREN_FOR_EPHEMERALS';

export type TransactionResult =
  | { readonly kind: 'committed'; readonly results: readonly OperationResult[] }
  | { readonly kind: 'refused'; readonly index: number; readonly path: string; readonly refusal: Refusal };

/** Creates a persistent node; refused if it is there. */
export function creation(path: string, data = ''): NodeOperation {
  return { kind: 'create', path, data, mode: 'PERSISTENT' };
}

/** True if the server adds a number to the name of the node. */
export function isNumbered(mode: CreateMode): boolean {
  return mode.endsWith('_SEQUENTIAL');
}

/** All operations of the parts, in their order. `flatMap` takes twenty times as long. */
export function operationsOf(parts: readonly { readonly operations: readonly Operation[] }[]): readonly Operation[] {
  const all: Operation[] = [];
  for (const { operations } of parts) for (const operation of operations) all.push(operation);
  return all;
}
