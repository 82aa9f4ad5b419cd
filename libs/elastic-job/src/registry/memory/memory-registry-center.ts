import { publicCalls } from '../../async-context/index.js';
import type { Clock } from '../../clock/index.js';
import type { TimeInterval } from '../../domain/index.js';
import { ASKING } from '../asking.js';
import { ensureLevels } from '../ensure-path.js';
import { assertLegal, Namespace } from '../namespace.js';
import { parentPath } from '../node-map.js';
import { refusalError, serverError } from '../refusal-error.js';
import {
  type CreateMode,
  type NodeStat,
  type Operation,
  type OperationResult,
  type RegistryCenter,
  type RegistryNode,
  type RegistryTraffic,
  type SessionInfo,
  type Subtree,
  type ChildrenWatch,
  type SubtreeEvent,
  type SubtreeListener,
  type SubtreeOptions,
  type TransactionResult,
} from '../registry-center.js';
import type { CloseOptions, RequestOptions, TransactionOptions } from '../request-options.js';
import { NoNodeError, RequestTooLargeError } from '../registry.errors.js';
import { RegistryTime } from '../registry-time.js';
import { OPEN_ACL_BYTES, requestBytes, transactionBytes } from '../request-size.js';
import { SharedTransactions } from '../shared-transactions.js';
import { MemoryClient } from './memory-client.js';
import type { Latency } from './memory-link.js';
import type { FailedRequest, MemoryServer } from './memory-server.js';
import type { CommitResult } from './node-tree.js';

/** How a client of a memory registry behaves. */
export interface MemoryRegistryCenterOptions {
  readonly namespace: string;
  /** The client's own clock; it may differ from the server's. */
  readonly clock: Clock;
  /** Milliseconds for which the server keeps the session of a client that it does not hear. */
  readonly sessionTimeoutMs: number;
  /** Longest wait for an answer, in milliseconds, for requests that set no limit. */
  readonly requestTimeoutMs: number;
  /** @default 1_000_000 */
  readonly maxRequestBytes?: number;
  /**
   * Milliseconds from a request to its answer; a function draws it for each message. 0 means one microtask each way:
   * the fastest, but a loop that awaits only requests keeps timers and sockets waiting.
   * @default 0
   */
  readonly latencyMs?: Latency;
  /**
   * Milliseconds by which news of other clients' writes come late, as from a follower that lags behind; a function
   * draws it for each commit. An answer comes after all news that precede it, which is the purpose of a sync.
   * @default 0
   */
  readonly newsLagMs?: Latency;
}

/**
 * One client of a `MemoryRegistry`. Sizes are counted as ZooKeeper counts them, with the open ACL: a tree that fits
 * here fits there too.
 */
@publicCalls(...ASKING)
export class MemoryRegistryCenter implements RegistryCenter {
  readonly maxRequestBytes: number;
  private readonly namespace: Namespace;
  private readonly client: MemoryClient;
  private readonly registryTime: RegistryTime;
  private readonly shared: SharedTransactions;

  /**
   * @internal
   * @throws {ConfigurationError} for a namespace that ZooKeeper would refuse.
   */
  constructor(
    private readonly server: MemoryServer,
    options: MemoryRegistryCenterOptions,
  ) {
    this.namespace = new Namespace(options.namespace);
    this.maxRequestBytes = options.maxRequestBytes ?? 1_000_000;
    this.registryTime = new RegistryTime(options.clock);
    const resolved = { ...options, namespace: this.namespace, latencyMs: options.latencyMs ?? 0 };
    this.client = new MemoryClient(server, resolved, () => this.shared.flush());
    const { maxRequestBytes } = this;
    const send = (operations: readonly Operation[]) => this.send(operations);
    const sender = { sessionId: () => this.session.id, maxRequestBytes, send };
    this.shared = new SharedTransactions(sender, options.clock, this.client.calm);
  }

  get session(): SessionInfo {
    return this.client.session.info;
  }

  get traffic(): Readonly<RegistryTraffic> {
    return this.client.traffic;
  }

  connect(options?: RequestOptions): Promise<void> {
    return this.client.session.connect(options);
  }

  close(options?: CloseOptions): Promise<void> {
    return this.client.session.close(options);
  }

  /** A client that was cut off is not told, so it keeps believing in its session. */
  leaseRemainingMs(): number {
    return this.client.session.leaseRemainingMs();
  }

  /**
   * Freezes the process of this client, as SIGSTOP does: messages that it has sent arrive, messages to it wait, and the
   * server ends its session after the timeout. Stop its clock as well. For simulations.
   */
  freeze(): void {
    this.client.session.freeze();
  }

  /** Lets the process go on. After too long a pause it first receives SUSPENDED and LOST, at once. */
  thaw(): void {
    this.client.session.thaw();
  }

  /** Cuts the network between this client and the registry for good. */
  unplug(): void {
    this.client.session.link.break();
    this.client.session.disconnected();
  }

  onSession(listener: (session: SessionInfo) => void): () => void {
    return this.client.session.onChange(listener);
  }

  /** The memory registry never warns. */
  onWarning(): () => void {
    return () => {};
  }

  async read(path: string, options?: RequestOptions): Promise<RegistryNode | undefined> {
    const absolutePath = this.namespace.absolute(path);
    const ask = () => this.server.node(absolutePath);
    return this.client.request(`read ${path}`, ask, (node) => node && { ...node, path }, options);
  }

  async readMany(paths: readonly string[], options?: RequestOptions): Promise<readonly (RegistryNode | undefined)[]> {
    return this.client.readNodes(`read ${paths.length} nodes`, paths, options);
  }

  async exists(path: string, options?: RequestOptions): Promise<NodeStat | undefined> {
    const absolutePath = this.namespace.absolute(path);
    const ask = () => this.server.node(absolutePath);
    return this.client.request(`exists ${path}`, ask, (node) => node?.stat, options);
  }

  async children(path: string, options?: RequestOptions): Promise<readonly string[]> {
    const absolutePath = this.namespace.absolute(path);
    const ask = () => this.server.children(absolutePath);
    const receive = (names: readonly string[] | undefined) => {
      if (!names) throw new NoNodeError(path);
      return names;
    };
    return this.client.request(`children ${path}`, ask, receive, options);
  }

  async create(path: string, data: string, mode: CreateMode, options?: RequestOptions): Promise<string> {
    const { path: created } = await this.write({ kind: 'create', path, data, mode }, options);
    return created;
  }

  async ensurePath(path: string, options?: RequestOptions): Promise<void> {
    this.namespace.absolute(path); // rejects an illegal path before its parts are created
    const create = (level: string) => this.create(level, '', 'PERSISTENT', options);
    const open = (sessionId: string) => this.server.ensure(this.namespace.root, sessionId);
    await ensureLevels(path, create, () => this.client.request('open the namespace', open, () => {}, options));
  }

  async set(path: string, data: string, version?: number, options?: RequestOptions): Promise<NodeStat> {
    const { stat } = await this.write({ kind: 'set', path, data, version }, options);
    return stat;
  }

  async delete(path: string, version?: number, options?: RequestOptions): Promise<void> {
    await this.write({ kind: 'delete', path, version }, options);
  }

  async transaction(operations: readonly Operation[], options?: TransactionOptions): Promise<TransactionResult> {
    // Each of them here, since an illegal path must not fail those that share the request.
    for (const { path } of operations) assertLegal(path);
    const bytes = this.transactionBytes(operations);
    this.assertFits(`transaction of ${operations.length}`, bytes);
    const { dueAt, isPatient } = options ?? {};
    if (dueAt === undefined) return this.send(operations, options);
    return this.shared.add({ operations, bytes, dueAt, isPatient }, options);
  }

  calm(): Promise<void> {
    return this.client.calm.until();
  }

  beginUrgent(): () => void {
    const { calm } = this.client;
    calm.begin();
    return () => calm.end();
  }

  private async send(operations: readonly Operation[], options?: RequestOptions): Promise<TransactionResult> {
    const name = `transaction of ${operations.length}`;
    const sent = operations.map((operation) => this.globalize(operation));
    const heard = this.registryTime.writing();
    return this.client.request(
      name,
      (sessionId) => this.server.write(sessionId, sent),
      (answer): TransactionResult => {
        if (answer.kind === 'failed') throw serverError(answer.code, name, operations[answer.index]?.path);
        hearTime(answer, heard);
        if (answer.kind === 'refused') return { ...answer, path: operations[answer.index]?.path ?? '/' };
        return { kind: 'committed', results: answer.results.map((result) => this.localize(result)) };
      },
      options,
    );
  }

  async openSubtree(path: string, listener: SubtreeListener, options?: SubtreeOptions): Promise<Subtree> {
    return this.client.openSubtree(path, listener, options);
  }

  watchChildren(path: string, onChange: () => void, options?: RequestOptions): Promise<ChildrenWatch> {
    const isNear = (other: string) => other === path || parentPath(other) === path;
    const hear = ({ kind }: SubtreeEvent) => {
      if (kind !== 'changed') onChange();
    };
    const unbounded = { longest: () => Infinity, mostChildren: Infinity, onLeftOut: () => {} };
    const bounds = { ...unbounded, admits: isNear, isLeaf: (other: string) => other !== path };
    return this.openSubtree(path, hear, { ...options, holds: () => false, bounds });
  }

  time(): TimeInterval | undefined {
    return this.registryTime.now();
  }

  serverTime(options?: RequestOptions): Promise<number> {
    const heard = this.registryTime.writing();
    const receive = (now: number) => {
      heard(now);
      return now;
    };
    // ZooKeeper reveals its time only by writing a node; this server can be asked.
    return this.client.request('server time', () => this.server.wallNow(), receive, options);
  }

  transactionBytes(operations: readonly Operation[]): number {
    return transactionBytes(operations, this.namespace, OPEN_ACL_BYTES);
  }

  private async write<O extends Operation>(
    operation: O,
    options?: RequestOptions,
  ): Promise<Extract<OperationResult, { kind: O['kind'] }>> {
    const name = `${operation.kind} ${operation.path}`;
    this.assertFits(name, requestBytes(operation, this.namespace, OPEN_ACL_BYTES));
    const sent = this.globalize(operation);
    const heard = this.registryTime.writing();
    const receive = (answer: CommitResult | FailedRequest) => {
      if (answer.kind === 'failed') throw serverError(answer.code, name, operation.path);
      hearTime(answer, heard, true);
      if (answer.kind === 'committed') return this.localize(answer.results[0]!);
      throw refusalError(answer.refusal, operation.path, 'version' in operation ? operation.version : undefined);
    };
    const result = await this.client.request(name, (id) => this.server.write(id, [sent]), receive, options);
    // oxlint-disable-next-line no-unsafe-type-assertion -- the server answers each operation in its own kind
    return result as Extract<OperationResult, { kind: O['kind'] }>;
  }

  private assertFits(name: string, bytes: number): void {
    if (bytes > this.maxRequestBytes) throw new RequestTooLargeError(name, bytes, this.maxRequestBytes);
  }

  private globalize(operation: Operation): Operation {
    return { ...operation, path: this.namespace.absolute(operation.path) };
  }

  private localize(result: OperationResult): OperationResult {
    return result.kind === 'create' ? { ...result, path: this.namespace.relative(result.path) ?? result.path } : result;
  }
}

/**
 * As in ZooKeeper, a transaction returns the state of the nodes it has set, and a single write also of a created one.
 */
function hearTime(answer: CommitResult, heard: (time: number) => void, isSingle = false): void {
  if (answer.kind === 'refused') return;
  const written = answer.changes.find(({ kind }) => kind === 'changed' || (kind === 'created' && isSingle));
  if (written !== undefined) heard(written.node.stat.mtime);
}
