import type { Clock } from '../../../libs/elastic-job/src/clock/index.js';
import type { TimeInterval } from '../../../libs/elastic-job/src/domain/index.js';
import {
  type ChildrenWatch,
  type Ensemble,
  type Operation,
  type RegistryNode,
  RegistryUnavailableError,
  type RequestOptions,
  type SessionInfo,
  SessionLostError,
  type SessionState,
  type Subtree,
  type SubtreeListener,
  type SubtreeOptions,
  type SyncOfViews,
  type TransactionResult,
  type WatchOptions,
} from '../../../libs/elastic-job/src/registry/index.js';
import { RegistryTime } from '../../../libs/elastic-job/src/registry/ensemble.js';
import {
  type NodeChange,
  NotifiedSubtree,
  type SubtreeClient,
} from '../../../libs/elastic-job/src/registry/known-subtree.js';
import { Namespace } from '../../../libs/elastic-job/src/registry/namespace.js';
import { parentPath } from '../../../libs/elastic-job/src/registry/node-map.js';
import { OPEN_ACL_BYTES, transactionBytes } from '../../../libs/elastic-job/src/registry/node-operations.js';
import { ownWait } from '../../../libs/elastic-job/src/registry/own-wait.js';
import { noConnection } from '../../../libs/elastic-job/src/registry/request-errors.js';
import type { ToyHearer, ToyStore } from './toy-store.js';

/** A client of a `ToyStore`. Its connection is never cut; its session ends with it, or when `expire` ends it. */
export class ToyEnsemble implements Ensemble, SubtreeClient {
  session: SessionInfo = { state: undefined, id: undefined, timeoutMs: 10_000 };
  readonly requestTimeoutMs = 5_000;
  readonly lastZxid = undefined;
  readonly traffic = { foreground: 0, background: 0 };
  private readonly namespace: Namespace;
  private readonly registryTime: RegistryTime;
  private readonly views = new Set<NotifiedSubtree>();
  private readonly watches = new Set<ToyHearer>();
  private readonly listeners = new Set<(session: SessionInfo) => void>();
  private isClosed = false;

  constructor(
    private readonly store: ToyStore,
    private readonly clock: Clock,
    namespace: string,
    readonly maxRequestBytes = 1_000_000,
  ) {
    this.namespace = new Namespace(namespace);
    this.registryTime = new RegistryTime(clock);
  }

  async connect({ signal }: RequestOptions = {}): Promise<void> {
    signal?.throwIfAborted();
    if (this.isClosed) throw noConnection('connect', this.session, true);
    await this.store.alone(() => {
      if (this.session.state === undefined && !this.isClosed) this.open('CONNECTED');
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.store.alone(() => {
      if (this.session.state === undefined) return;
      this.endSession();
      this.become(undefined, undefined);
    });
  }

  /** Ends the session as its timeout would. This client gets another one. */
  expire(): void {
    this.become('SUSPENDED');
    this.endSession();
    this.become('LOST');
    this.open('RECONNECTED');
  }

  leaseRemainingMs(): number {
    const { state, timeoutMs } = this.session;
    return state === undefined || state === 'LOST' ? 0 : timeoutMs * 0.8;
  }

  onSession(listener: (session: SessionInfo) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  onWarning(): () => void {
    return () => {};
  }

  readMany(paths: readonly string[], options?: RequestOptions): Promise<readonly (RegistryNode | undefined)[]> {
    return this.readNodes(`read ${paths.join(' ')}`, paths, options);
  }

  readNodes(
    name: string,
    paths: readonly string[],
    options?: RequestOptions,
    take: (nodes: readonly (RegistryNode | undefined)[]) => void = () => {},
  ): Promise<readonly (RegistryNode | undefined)[]> {
    return this.request(name, options, () => {
      const nodes = paths.map((path) => this.local(this.store.node(this.namespace.absoluteOf(path))));
      take(nodes);
      return nodes;
    });
  }

  childrenMany(
    paths: readonly string[],
    options?: RequestOptions,
  ): Promise<readonly (readonly string[] | undefined)[]> {
    const absolutePaths = paths.map((path) => this.namespace.absoluteOf(path));
    const namesBelow = (path: string) =>
      this.store.node(path) && this.store.children(path).map((child) => child.path.slice(path.length + 1));
    return this.request(`children ${paths.join(' ')}`, options, () => absolutePaths.map(namesBelow));
  }

  transaction(operations: readonly Operation[], options?: RequestOptions): Promise<TransactionResult> {
    const absolute = operations.map((one) => ({ ...one, path: this.namespace.absoluteOf(one.path) }));
    const name = operations.map(({ kind, path }) => `${kind} ${path}`).join(', ');
    const heard = this.registryTime.writing();
    return this.request(name, options, (sessionId): TransactionResult => {
      const answer = this.store.commit(absolute, sessionId);
      if (answer.kind === 'refused') return { ...answer, path: operations[answer.index]!.path };
      heard(this.clock.wallNow());
      const results = answer.results.map((one) =>
        one.kind === 'create' ? { ...one, path: this.namespace.relative(one.path)! } : one,
      );
      return { kind: 'committed', results };
    });
  }

  createNamespace(options?: RequestOptions): Promise<void> {
    return this.request('open the namespace', options, () => this.openNamespace());
  }

  sync(options?: RequestOptions): Promise<void> {
    return this.request('sync', options, () => {});
  }

  openSubtree(path: string, listener: SubtreeListener, sync: SyncOfViews, options?: SubtreeOptions): Promise<Subtree> {
    return this.request(`open subtree ${path}`, options, () => {
      const view = new NotifiedSubtree(this, path, listener, sync, options);
      view.replace(this.store.nodes.flatMap((one) => this.local(one) ?? []));
      this.views.add(view);
      return view;
    });
  }

  watchChildren(
    path: string,
    onChange: (changed: string | undefined) => void,
    options?: WatchOptions,
  ): Promise<ChildrenWatch> {
    const isNear = ({ kind, node }: NodeChange) =>
      kind !== 'changed' && [node.path, parentPath(node.path)].includes(path);
    const isBelow = ({ node }: NodeChange) => `${node.path}/`.startsWith(path === '/' ? path : `${path}/`);
    const hears = options?.isDeep === true ? isBelow : isNear;
    const watch: ToyHearer = (changes) => changes.filter(hears).forEach(({ node }) => onChange(node.path));
    return this.request(`watch children of ${path}`, options, () => {
      this.watches.add(watch);
      return { close: () => void this.watches.delete(watch) };
    });
  }

  time(): TimeInterval | undefined {
    return this.registryTime.now();
  }

  serverTime(options?: RequestOptions): Promise<number> {
    const heard = this.registryTime.writing();
    return this.request('server time', options, () => {
      const now = this.clock.wallNow();
      heard(now);
      return now;
    });
  }

  transactionBytes(operations: readonly Operation[], isSingle?: boolean): number {
    return transactionBytes(operations, this.namespace, OPEN_ACL_BYTES, isSingle);
  }

  release(view: NotifiedSubtree): void {
    this.views.delete(view);
  }

  private open(state: SessionState): void {
    this.openNamespace();
    const id = this.store.openSession((changes, isOwn) => {
      const own = changes.flatMap(({ kind, node }) => {
        const local = this.local(node);
        return local ? { kind, node: local } : [];
      });
      for (const view of this.views) view.receive(own, isOwn);
      for (const watch of this.watches) watch(own, isOwn);
    });
    this.become(state, id);
  }

  private openNamespace(): void {
    const missing = this.namespace.levels.filter((path) => !this.store.node(path));
    for (const path of missing) this.store.commit([{ kind: 'create', path, data: '', mode: 'PERSISTENT' }], '');
  }

  private endSession(): void {
    for (const view of this.views) view.lose();
    this.views.clear();
    this.watches.clear();
    this.store.endSession(this.session.id!);
  }

  /** The node with the port's path; undefined outside the namespace. */
  private local(node: RegistryNode | undefined): RegistryNode | undefined {
    const path = node && this.namespace.relative(node.path);
    return path === undefined ? undefined : { path, data: node!.data, stat: node!.stat };
  }

  private become(state: SessionState | undefined, id = this.session.id): void {
    this.session = { ...this.session, state, id: state === undefined ? undefined : id };
    for (const listener of Array.from(this.listeners)) listener(this.session);
  }

  private async request<T>(name: string, options: RequestOptions = {}, work: (sessionId: string) => T): Promise<T> {
    options.signal?.throwIfAborted();
    const { state, id } = this.session;
    if (state === 'LOST') throw new SessionLostError(id);
    if (this.isClosed || id === undefined || state === 'SUSPENDED')
      throw noConnection(name, this.session, this.isClosed);
    this.traffic.foreground += 1;
    const answer = this.store.alone(() => {
      if (this.session.id === id) return work(id);
      throw new RegistryUnavailableError(name, 'not-applied', 'the session has ended');
    });
    return ownWait(this.clock, name, options, (waiter) => {
      answer.then(
        (value) => waiter.resolve(value),
        (error: unknown) => waiter.reject(error),
      );
    });
  }
}
