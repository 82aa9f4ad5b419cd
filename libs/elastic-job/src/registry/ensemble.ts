import type { Clock } from '../clock/index.js';
import { refineTime, timeAt, type TimeEstimate, type TimeInterval } from '../domain/index.js';
import type { Namespace } from './namespace.js';
import { sendNodeOperations, transactionBytes } from './node-operations.js';
import type {
  ChildrenWatch,
  CloseOptions,
  NodeOperation,
  NodeOwners,
  Operation,
  RegistryNode,
  RegistryTraffic,
  RequestOptions,
  SessionInfo,
  Subtree,
  SubtreeListener,
  SubtreeOptions,
  SyncOptions,
  TransactionResult,
  WatchOptions,
} from './registry-center.js';

/**
 * A store of nodes and sessions, as one client reaches it. An adapter writes this, and `SharedRegistry` makes a
 * `RegistryCenter` of it. It is ZooKeeper's own model, and promises nothing that such a store does not keep.
 *
 * - Paths are absolute, below the client's namespace. They and the sizes of writes were checked before.
 * - Requests leave in the order of the calls. Before an answer come all news that precede it.
 * - No request is sent twice, unless it only reads. A lost connection is always an error, never "absent". A write whose
 *   reply was lost says so (`RegistryUnavailableError.fate === 'unknown'`).
 * - A refusal that no state of the nodes explains is an error: `NoAuthError` or `ServerError`.
 * - The reason of a signal that has aborted is thrown before anything is sent.
 */
export interface Ensemble {
  /** Opens the first session, and the namespace. @throws {RegistryUnavailableError} */
  connect(options?: RequestOptions): Promise<void>;
  /** Ends the session. Idempotent; never rejects. */
  close(options?: CloseOptions): Promise<void>;
  readonly session: SessionInfo;
  /** @see RegistryCenter.leaseRemainingMs */
  leaseRemainingMs(): number;
  /** Hears every change of state, in order, without duplicates. @returns a function that removes the listener */
  onSession(listener: (session: SessionInfo) => void): () => void;
  /** @see RegistryCenter.onWarning */
  onWarning(listener: (message: string) => void): () => void;

  /**
   * The nodes in the order of the paths, as they were at one moment; undefined for a path without a node.
   * @param single set if it is the call of one node, which errors name then. An adapter may send a request of its own
   *   for it, and may leave out the data for `exists`
   */
  readMany(
    paths: readonly string[],
    options?: RequestOptions,
    single?: 'read' | 'exists',
  ): Promise<readonly (RegistryNode | undefined)[]>;
  /**
   * The names of the children of each node, in the order of the paths, as they were at one moment; undefined for a path
   * without a node.
   * @param isSingle true if it is the call of one node, which errors name then. An adapter may send another request for
   *   it
   */
  childrenMany(
    paths: readonly string[],
    options?: RequestOptions,
    isSingle?: boolean,
  ): Promise<readonly (readonly string[] | undefined)[]>;
  /**
   * Applies all operations or none, in one request.
   * @param isSingle true if it is the call of one node, to create, set or delete it, which errors name then. An adapter
   *   may send a request of its own for it
   */
  transaction(
    operations: readonly Operation[],
    options?: RequestOptions,
    isSingle?: boolean,
  ): Promise<TransactionResult>;
  /** Creates the missing levels of the namespace, which somebody may have deleted. */
  createNamespace(options?: RequestOptions): Promise<void>;
  /** Latest transaction that this client knows of, by any answer; undefined if no answer tells. */
  readonly lastZxid: bigint | undefined;

  /**
   * Resolves, for one request, when all views of the session have heard of everything that was committed before the
   * call. It may wait for a broken connection to be back.
   */
  sync(options?: RequestOptions): Promise<void>;
  /**
   * Opens a view of `path` and all below it. It is complete when this resolves. `path` need not exist yet.
   * @param sync for which the view's own `sync` waits, before it waits for reads of the view
   */
  openSubtree(path: string, listener: SubtreeListener, sync: SyncOfViews, options?: SubtreeOptions): Promise<Subtree>;
  /** @see RegistryCenter.watchChildren */
  watchChildren(
    path: string,
    onChange: (changed: string | undefined) => void,
    options?: WatchOptions,
  ): Promise<ChildrenWatch>;

  /** The store's wall clock now, from memory, as far as own writes have shown it. Undefined before the first. */
  time(): TimeInterval | undefined;
  /** The store's wall clock, in milliseconds since the epoch, for one request. Feeds `time`. */
  serverTime(options?: RequestOptions): Promise<number>;
  /** Undefined where nodes have no owners. */
  readonly owners?: NodeOwners | undefined;

  /** Longest wait for an answer, in milliseconds, for requests that set no limit. */
  readonly requestTimeoutMs: number;
  /** Size of the largest request, in bytes. */
  readonly maxRequestBytes: number;
  /** Size of a transaction as it is sent, in bytes. @param isSingle as in `transaction` */
  transactionBytes(operations: readonly Operation[], isSingle?: boolean): number;
  /** Requests sent so far. @see RegistryCenter.traffic */
  readonly traffic: Readonly<RegistryTraffic>;
}

/** Waits for a sync of all views of a session. @param operation the request, as an error names it */
export type SyncOfViews = (operation: string, options?: SyncOptions) => Promise<void>;

/** Base of the ensembles that know ZooKeeper's own operations alone: the port's words, their sizes, and the time. */
export abstract class NodeEnsemble {
  readonly requestTimeoutMs: number;
  readonly maxRequestBytes: number;
  protected readonly registryTime: RegistryTime;

  /** @param aclBytes size of the ACL of a created node */
  constructor(
    clock: Clock,
    protected readonly namespace: Namespace,
    private readonly aclBytes: number,
    { requestTimeoutMs, maxRequestBytes }: Pick<Ensemble, 'requestTimeoutMs' | 'maxRequestBytes'>,
  ) {
    this.requestTimeoutMs = requestTimeoutMs;
    this.maxRequestBytes = maxRequestBytes;
    this.registryTime = new RegistryTime(clock);
  }

  transaction(
    operations: readonly Operation[],
    options?: RequestOptions,
    isSingle = false,
  ): Promise<TransactionResult> {
    return sendNodeOperations(operations, (parts) => this.send(parts, options, isSingle));
  }

  transactionBytes(operations: readonly Operation[], isSingle?: boolean): number {
    return transactionBytes(operations, this.namespace, this.aclBytes, isSingle);
  }

  time(): TimeInterval | undefined {
    return this.registryTime.now();
  }

  /** Sends the operations in one request, before it returns. */
  protected abstract send(
    operations: readonly NodeOperation[],
    options?: RequestOptions,
    isSingle?: boolean,
  ): Promise<TransactionResult>;
}

/** The registry's wall clock, estimated from the writes of one client. */
export class RegistryTime {
  private known: TimeEstimate | undefined;

  constructor(private readonly clock: Pick<Clock, 'monotonicNow'>) {}

  /** The interval in which the registry's time lies now. Undefined before the first write. */
  now(): TimeInterval | undefined {
    return this.known && timeAt(this.known, this.clock.monotonicNow());
  }

  /**
   * Marks that a write is about to be sent.
   * @returns a function to call with the registry's time of the write, once the answer is here
   */
  writing(): (time: number) => void {
    const sent = this.clock.monotonicNow();
    return (time) => {
      this.known = refineTime(this.known, { time, sent, received: this.clock.monotonicNow() });
    };
  }
}
