import { type Ensemble, NodeEnsemble, type SyncOfViews } from '../ensemble.js';
import { NotifiedSubtree, type SubtreeClient } from '../known-subtree.js';
import { parentPath } from '../node-map.js';
import { OPEN_ACL_BYTES, requestName } from '../node-operations.js';
import { serverError } from '../request-errors.js';
import type {
  ChildrenWatch,
  CloseOptions,
  NodeOperation,
  OperationResult,
  RegistryNode,
  RegistryTraffic,
  RequestOptions,
  SessionInfo,
  SubtreeEvent,
  SubtreeListener,
  SubtreeOptions,
  TransactionResult,
  WatchOptions,
} from '../registry-center.js';
import type { MemoryServer } from './memory-server.js';
import { MemorySession, type MemorySessionOptions } from './memory-session.js';
import { localNodes } from './memory-views.js';
import type { CommitResult } from './node-tree.js';

/**
 * The server of a memory registry as one client reaches it. Answers and news come in the order of the link. Sizes are
 * counted as ZooKeeper counts them, with the open ACL.
 */
export class MemoryEnsemble extends NodeEnsemble implements Ensemble, SubtreeClient {
  readonly client: MemorySession;
  readonly traffic: RegistryTraffic = { foreground: 0, background: 0 };
  /** Answers do not tell, so a write without a reply keeps its unknown fate. */
  readonly lastZxid = undefined;

  constructor(
    private readonly server: MemoryServer,
    options: MemorySessionOptions,
    maxRequestBytes: number,
  ) {
    super(options.clock, options.namespace, OPEN_ACL_BYTES, { ...options, maxRequestBytes });
    this.client = new MemorySession(server, options);
  }

  get session(): SessionInfo {
    return this.client.info;
  }

  connect(options?: RequestOptions): Promise<void> {
    return this.client.connect(options);
  }

  close(options?: CloseOptions): Promise<void> {
    return this.client.close(options);
  }

  /** A client that was cut off is not told, so it keeps believing in its session. */
  leaseRemainingMs(): number {
    return this.client.leaseRemainingMs();
  }

  onSession(listener: (session: SessionInfo) => void): () => void {
    return this.client.onChange(listener);
  }

  /** The memory registry never warns. */
  onWarning(): () => void {
    return () => {};
  }

  async readMany(
    paths: readonly string[],
    options?: RequestOptions,
    single?: 'read' | 'exists',
  ): Promise<readonly (RegistryNode | undefined)[]> {
    const name = single === undefined ? `read ${paths.length} nodes` : `${single} ${paths[0]}`;
    return this.readNodes(name, paths, options);
  }

  async childrenMany(
    paths: readonly string[],
    options?: RequestOptions,
    isSingle = false,
  ): Promise<readonly (readonly string[] | undefined)[]> {
    const name = isSingle ? `children ${paths[0]}` : `children of ${paths.length} nodes`;
    const absolutePaths = paths.map((path) => this.namespace.absoluteOf(path));
    const ask = () => absolutePaths.map((path) => this.server.children(path));
    return this.request(name, ask, (lists) => lists, options);
  }

  protected async send(
    operations: readonly NodeOperation[],
    options?: RequestOptions,
    isSingle = false,
  ): Promise<TransactionResult> {
    const name = requestName(operations, isSingle);
    const sent = operations.map((operation) => ({ ...operation, path: this.namespace.absoluteOf(operation.path) }));
    const noteTime = this.registryTime.writing();
    return this.request(
      name,
      (sessionId) => this.server.write(sessionId, sent),
      (answer): TransactionResult => {
        if (answer.kind === 'failed') throw serverError(answer.code, name, operations[answer.index]?.path);
        if (answer.kind === 'refused') return { ...answer, path: operations[answer.index]?.path ?? '/' };
        notingTime(answer, noteTime, isSingle);
        return { kind: 'committed', results: answer.results.map((result) => this.localize(result)) };
      },
      options,
    );
  }

  createNamespace(options?: RequestOptions): Promise<void> {
    const open = (sessionId: string) => this.server.ensure(this.namespace.root, sessionId);
    return this.request('open the namespace', open, () => {}, options);
  }

  /** News and replies share one link, in order: every commit before the request is heard before its reply. */
  sync(options?: RequestOptions): Promise<void> {
    const nothing = () => {};
    return this.request('sync', nothing, nothing, options);
  }

  openSubtree(
    path: string,
    listener: SubtreeListener,
    sync: SyncOfViews,
    options?: SubtreeOptions,
  ): Promise<NotifiedSubtree> {
    const absolutePath = this.namespace.absoluteOf(path);
    const receive = (nodes: readonly RegistryNode[]) => {
      const view = new NotifiedSubtree(this, path, listener, sync, options);
      view.replace(localNodes(nodes, this.namespace));
      this.client.views.add(view);
      return view;
    };
    return this.request(`open subtree ${path}`, () => this.server.subtree(absolutePath), receive, options);
  }

  watchChildren(
    path: string,
    onChange: (changed: string | undefined) => void,
    options: WatchOptions = {},
  ): Promise<ChildrenWatch> {
    const { isDeep = false } = options;
    const isNear = (other: string) => isDeep || other === path || parentPath(other) === path;
    const receive = (event: SubtreeEvent) => {
      if (event.kind === 'reset') onChange(undefined);
      else if (isDeep || event.kind !== 'changed') onChange(event.path);
    };
    const unbounded = { longest: () => Infinity, mostChildren: Infinity, onLeftOut: () => {} };
    const bounds = { ...unbounded, admits: isNear, isLeaf: (other: string) => !isDeep && other !== path };
    const sync: SyncOfViews = (_, given) => this.sync(given);
    return this.openSubtree(path, receive, sync, { ...options, holds: () => false, bounds });
  }

  serverTime(options?: RequestOptions): Promise<number> {
    const noteTime = this.registryTime.writing();
    const receive = (now: number) => {
      noteTime(now);
      return now;
    };
    // ZooKeeper reveals its time only by writing a node; this server can be asked.
    return this.request('server time', () => this.server.wallNow(), receive, options);
  }

  /** @param take receives the nodes in the order of the link */
  readNodes(
    operation: string,
    paths: readonly string[],
    options?: RequestOptions,
    take: (nodes: readonly (RegistryNode | undefined)[]) => void = () => {},
  ): Promise<readonly (RegistryNode | undefined)[]> {
    const absolutePaths = paths.map((path) => this.namespace.absoluteOf(path));
    const ask = () => absolutePaths.map((path) => this.server.node(path));
    const receive = (found: readonly (RegistryNode | undefined)[]) => {
      const nodes = found.map((node, index) => node && { ...node, path: paths[index]! });
      take(nodes);
      return nodes;
    };
    return this.request(operation, ask, receive, options);
  }

  release(view: NotifiedSubtree): void {
    this.client.views.delete(view);
  }

  /**
   * Sends a request if there is a connection: `ask` runs at the server, `receive` here with the answer.
   * @throws {RegistryUnavailableError}
   * @throws {SessionLostError} between LOST and the next session
   */
  private async request<A, T>(
    operation: string,
    ask: (sessionId: string) => A,
    receive: (answer: A) => T,
    options?: RequestOptions,
  ): Promise<T> {
    options?.signal?.throwIfAborted();
    this.client.checkClock();
    if (this.client.isAsking) await this.client.answered();
    const id = this.client.usableId(operation);
    this.traffic.foreground += 1;
    return this.client.requests.send(operation, () => this.server.serve(id, ask), receive, options);
  }

  private localize(result: OperationResult): OperationResult {
    return result.kind === 'create' ? { ...result, path: this.namespace.relative(result.path) ?? result.path } : result;
  }
}

/**
 * As in ZooKeeper, a transaction returns the state of the nodes it has set, and a single write also of a created one.
 */
function notingTime(
  { changes }: Extract<CommitResult, { kind: 'committed' }>,
  noteTime: (time: number) => void,
  isSingle: boolean,
): void {
  const written = changes.find(({ kind }) => kind === 'changed' || (kind === 'created' && isSingle));
  if (written !== undefined) noteTime(written.node.stat.mtime);
}
