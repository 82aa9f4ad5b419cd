import { publicCalls } from '../../async-context/index.js';
import type { Clock } from '../../clock/index.js';
import type { TimeInterval } from '../../domain/index.js';
import { ASKING } from '../asking.js';
import { ensureLevels } from '../ensure-path.js';
import { assertLegal } from '../namespace.js';
import { refusalError } from '../refusal-error.js';
import {
  type CreateMode,
  type NodeOwners,
  type NodeStat,
  type Operation,
  type RegistryCenter,
  type RegistryNode,
  type RegistryTraffic,
  type SessionInfo,
  type Subtree,
  type ChildrenWatch,
  type SubtreeListener,
  type SubtreeOptions,
  type TransactionResult,
} from '../registry-center.js';
import type { CloseOptions, RequestOptions, TransactionOptions } from '../request-options.js';
import { RequestTooLargeError } from '../registry.errors.js';
import { CREATOR_ACL_BYTES, OPEN_ACL_BYTES, requestBytes, transactionBytes } from '../request-size.js';
import { sendWrite, type SingleWrite } from './send-write.js';
import { ZooKeeperChildrenWatch } from './view/children-watch.js';
import { SubtreeView, TIME_NODE } from './view/subtree-view.js';
import { ZooKeeperClient } from './zookeeper-client.js';
import { type ResolvedZooKeeperOptions, resolveZooKeeperOptions, type ZooKeeperOptions } from './zookeeper-options.js';

/** A client of a ZooKeeper ensemble, version 3.6 or later. */
@publicCalls(...ASKING)
export class ZooKeeperRegistryCenter implements RegistryCenter {
  readonly maxRequestBytes: number;
  private readonly options: ResolvedZooKeeperOptions;
  private readonly client: ZooKeeperClient;
  private readonly aclBytes: number;

  /** @throws {ConfigurationError} for invalid options */
  constructor(
    options: ZooKeeperOptions,
    private readonly clock: Clock,
  ) {
    this.options = resolveZooKeeperOptions(options);
    this.maxRequestBytes = this.options.maxRequestBytes;
    this.aclBytes = this.options.ownsNodes ? CREATOR_ACL_BYTES : OPEN_ACL_BYTES;
    this.client = new ZooKeeperClient(this.options, clock);
  }

  get session(): SessionInfo {
    return this.client.session.info;
  }

  get owners(): NodeOwners | undefined {
    return this.client.owners;
  }

  get traffic(): Readonly<RegistryTraffic> {
    return this.client.session.traffic;
  }

  connect(options?: RequestOptions): Promise<void> {
    return this.client.session.connect(options);
  }

  close(options?: CloseOptions): Promise<void> {
    return this.client.session.close(options);
  }

  leaseRemainingMs(): number {
    return this.client.session.leaseRemainingMs();
  }

  onSession(listener: (session: SessionInfo) => void): () => void {
    return this.client.session.onChange(listener);
  }

  onWarning(listener: (message: string) => void): () => void {
    return this.client.warnings.on(listener);
  }

  read(path: string, options?: RequestOptions): Promise<RegistryNode | undefined> {
    return this.client.read(path, options);
  }

  readMany(paths: readonly string[], options?: RequestOptions): Promise<readonly (RegistryNode | undefined)[]> {
    return this.client.readMany(paths, options);
  }

  exists(path: string, options?: RequestOptions): Promise<NodeStat | undefined> {
    return this.client.exists(path, options);
  }

  children(path: string, options?: RequestOptions): Promise<readonly string[]> {
    return this.client.children(path, options);
  }

  async create(path: string, data: string, mode: CreateMode, options?: RequestOptions): Promise<string> {
    this.assertFits({ kind: 'create', path, data, mode });
    const send = () => this.client.create(path, data, mode, options);
    return this.write({ path, write: { kind: 'create', data, mode }, send, answer: () => path }, options);
  }

  async ensurePath(path: string, options?: RequestOptions): Promise<void> {
    this.client.absolute(path); // rejects an illegal path before its parts are created
    const create = (level: string) => this.create(level, '', 'PERSISTENT', options);
    await ensureLevels(path, create, () => this.client.createNamespace(options));
  }

  async set(path: string, data: string, version?: number, options?: RequestOptions): Promise<NodeStat> {
    this.assertFits({ kind: 'set', path, data });
    const send = () => this.client.set(path, data, version, options);
    return this.write({ path, write: { kind: 'set', data, version }, send, answer: (node) => node!.stat }, options);
  }

  delete(path: string, version?: number, options?: RequestOptions): Promise<void> {
    const send = () => this.client.delete(path, version, options);
    return this.write({ path, write: { kind: 'delete' }, send, answer: () => {} }, options);
  }

  async transaction(operations: readonly Operation[], options?: TransactionOptions): Promise<TransactionResult> {
    // Each of them here, since an illegal path must not fail those that share the request.
    for (const { path } of operations) assertLegal(path);
    const bytes = this.transactionBytes(operations);
    this.assertSize(`transaction of ${operations.length}`, bytes);
    const { dueAt, isPatient } = options ?? {};
    if (dueAt === undefined) return this.client.transaction(operations, options);
    return this.client.sharedTransactions.add({ operations, bytes, dueAt, isPatient }, options);
  }

  calm(): Promise<void> {
    return this.client.calm.until();
  }

  beginUrgent(): () => void {
    const { calm } = this.client;
    calm.begin();
    return () => calm.end();
  }

  async openSubtree(path: string, listener: SubtreeListener, options?: SubtreeOptions): Promise<Subtree> {
    this.client.absolute(path);
    const view = new SubtreeView(this.client, path, listener, options);
    await view.open(options);
    return view;
  }

  async watchChildren(path: string, onChange: () => void, options?: RequestOptions): Promise<ChildrenWatch> {
    const watch = new ZooKeeperChildrenWatch(this.client, path, onChange);
    await watch.open(options);
    return watch;
  }

  time(): TimeInterval | undefined {
    return this.client.time();
  }

  async serverTime(options?: RequestOptions): Promise<number> {
    const result = await this.transaction(
      [
        { kind: 'create', path: TIME_NODE, data: '', mode: 'EPHEMERAL' },
        { kind: 'set', path: TIME_NODE, data: '' },
        { kind: 'delete', path: TIME_NODE },
      ],
      options,
    );
    if (result.kind === 'refused') throw refusalError(result.refusal, result.path);
    return result.results.find((one) => one.kind === 'set')!.stat.mtime;
  }

  transactionBytes(operations: readonly Operation[]): number {
    return transactionBytes(operations, this.options.namespace, this.aclBytes);
  }

  private write<T>(write: SingleWrite<T>, options?: RequestOptions): Promise<T> {
    const limitMs = options?.timeoutMs ?? this.options.requestTimeoutMs;
    return sendWrite(this.client, this.clock, limitMs, write, options);
  }

  private assertFits(operation: Operation): void {
    const bytes = requestBytes(operation, this.options.namespace, this.aclBytes);
    this.assertSize(`${operation.kind} ${operation.path}`, bytes);
  }

  private assertSize(name: string, bytes: number): void {
    if (bytes > this.maxRequestBytes) throw new RequestTooLargeError(name, bytes, this.maxRequestBytes);
  }
}
