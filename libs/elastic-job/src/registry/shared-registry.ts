import { publicCalls } from '../async-context/index.js';
import type { Clock } from '../clock/index.js';
import type { TimeInterval } from '../domain/index.js';
import { Calm } from '../turns/index.js';
import type { Ensemble, SyncOfViews } from './ensemble.js';
import { assertLegal } from './namespace.js';
import { childPath } from './node-map.js';
import { assertDistinct } from './node-operations.js';
import { refusalError } from './request-errors.js';
import type {
  ChildrenWatch,
  CloseOptions,
  CreateMode,
  NodeOwners,
  NodeStat,
  Operation,
  OperationResult,
  RegistryCenter,
  RegistryNode,
  RegistryTraffic,
  RequestOptions,
  SessionInfo,
  Subtree,
  SubtreeListener,
  SubtreeOptions,
  TransactionOptions,
  TransactionResult,
  WatchOptions,
} from './registry-center.js';
import { NodeExistsError, NoNodeError, RequestTooLargeError } from './registry.errors.js';
import { SharedSync } from './shared-sync.js';
import { SharedTransactions } from './shared-transactions.js';
import { sendWrite, type SingleWrite } from './single-write.js';

/** Methods of the port that answer later. `calm` asks nobody. */
type Asking = {
  [Name in keyof RegistryCenter]-?: RegistryCenter[Name] extends (...args: never[]) => Promise<unknown> ? Name : never;
}[Exclude<keyof RegistryCenter, 'calm'>];

const ASKS: Readonly<Record<Asking, true>> = {
  connect: true,
  close: true,
  read: true,
  readMany: true,
  exists: true,
  children: true,
  childrenMany: true,
  create: true,
  ensurePath: true,
  set: true,
  delete: true,
  transaction: true,
  openSubtree: true,
  watchChildren: true,
  serverTime: true,
};

/** Methods of the port that ask the registry. The others answer from memory, and are called often. */
const ASKING: readonly string[] = Object.keys(ASKS);

/**
 * The registry over any ensemble. It adds what no ensemble keeps: calls of one node, requests that callers share, the
 * fate of own writes without a reply, and work that waits for more urgent work. Paths and sizes are checked here.
 *
 * No request overtakes a shared transaction that waits: it sends that first.
 */
@publicCalls(...ASKING)
export class SharedRegistry implements RegistryCenter {
  readonly maxRequestBytes: number;
  private readonly urgency: Calm;
  private readonly transactions: SharedTransactions;
  private readonly syncOfViews: SyncOfViews;

  constructor(
    private readonly ensemble: Ensemble,
    private readonly clock: Clock,
  ) {
    const { maxRequestBytes } = ensemble;
    const sessionId = () => ensemble.session.id;
    const flush = () => this.transactions.flush();
    const send = (operations: readonly Operation[]) => {
      flush();
      return ensemble.transaction(operations);
    };
    const sync = () => {
      flush();
      return ensemble.sync();
    };
    this.maxRequestBytes = maxRequestBytes;
    this.urgency = new Calm(clock);
    this.transactions = new SharedTransactions({ sessionId, maxRequestBytes, send }, clock, this.urgency);
    const shared = new SharedSync({ sessionId, send: sync, flush }, clock, this.urgency);
    this.syncOfViews = (operation, options) => shared.sync(operation, options);
  }

  get session(): SessionInfo {
    return this.ensemble.session;
  }

  get owners(): NodeOwners | undefined {
    return this.ensemble.owners;
  }

  get traffic(): Readonly<RegistryTraffic> {
    return this.ensemble.traffic;
  }

  connect(options?: RequestOptions): Promise<void> {
    return this.ensemble.connect(options);
  }

  close(options?: CloseOptions): Promise<void> {
    return this.ensemble.close(options);
  }

  leaseRemainingMs(): number {
    return this.ensemble.leaseRemainingMs();
  }

  onSession(listener: (session: SessionInfo) => void): () => void {
    return this.ensemble.onSession(listener);
  }

  onWarning(listener: (message: string) => void): () => void {
    return this.ensemble.onWarning(listener);
  }

  async read(path: string, options?: RequestOptions): Promise<RegistryNode | undefined> {
    assertLegal(path);
    this.transactions.flush();
    const [node] = await this.ensemble.readMany([path], options, 'read');
    return node;
  }

  async readMany(paths: readonly string[], options?: RequestOptions): Promise<readonly (RegistryNode | undefined)[]> {
    for (const path of paths) assertLegal(path);
    this.transactions.flush();
    return this.ensemble.readMany(paths, options);
  }

  async exists(path: string, options?: RequestOptions): Promise<NodeStat | undefined> {
    assertLegal(path);
    this.transactions.flush();
    const [node] = await this.ensemble.readMany([path], options, 'exists');
    return node?.stat;
  }

  async children(path: string, options?: RequestOptions): Promise<readonly string[]> {
    assertLegal(path);
    this.transactions.flush();
    const [names] = await this.ensemble.childrenMany([path], options, true);
    if (names === undefined) throw new NoNodeError(path);
    return names;
  }

  async childrenMany(
    paths: readonly string[],
    options?: RequestOptions,
  ): Promise<readonly (readonly string[] | undefined)[]> {
    for (const path of paths) assertLegal(path);
    this.transactions.flush();
    return this.ensemble.childrenMany(paths, options);
  }

  async create(path: string, data: string, mode: CreateMode, options?: RequestOptions): Promise<string> {
    const created = await this.write({ kind: 'create', path, data, mode }, options);
    return created.path;
  }

  async ensurePath(path: string, options?: RequestOptions): Promise<void> {
    assertLegal(path); // before its parts are created
    const create = (level: string) => this.create(level, '', 'PERSISTENT', options);
    await ensureLevels(path, create, () => this.ensemble.createNamespace(options));
  }

  async set(path: string, data: string, version?: number, options?: RequestOptions): Promise<NodeStat> {
    const written = await this.write({ kind: 'set', path, data, version }, options);
    return written.stat;
  }

  async delete(path: string, version?: number, options?: RequestOptions): Promise<void> {
    await this.write({ kind: 'delete', path, version }, options);
  }

  async transaction(operations: readonly Operation[], options?: TransactionOptions): Promise<TransactionResult> {
    // Each of them here, since an illegal path must not fail those that share the request.
    assertDistinct(operations);
    const bytes = this.transactionBytes(operations);
    this.assertFits(`transaction of ${operations.length}`, bytes);
    const { dueAt, isPatient } = options ?? {};
    if (dueAt !== undefined) return this.transactions.add({ operations, bytes, dueAt, isPatient }, options);
    this.transactions.flush();
    return this.ensemble.transaction(operations, options);
  }

  calm(): Promise<void> {
    return this.urgency.until();
  }

  beginUrgent(): () => void {
    const { urgency } = this;
    urgency.begin();
    return () => urgency.end();
  }

  async openSubtree(path: string, listener: SubtreeListener, options?: SubtreeOptions): Promise<Subtree> {
    assertLegal(path);
    return this.ensemble.openSubtree(path, listener, this.syncOfViews, options);
  }

  async watchChildren(
    path: string,
    onChange: (changed: string | undefined) => void,
    options?: WatchOptions,
  ): Promise<ChildrenWatch> {
    assertLegal(path);
    return this.ensemble.watchChildren(path, onChange, options);
  }

  time(): TimeInterval | undefined {
    return this.ensemble.time();
  }

  async serverTime(options?: RequestOptions): Promise<number> {
    this.transactions.flush();
    return this.ensemble.serverTime(options);
  }

  transactionBytes(operations: readonly Operation[]): number {
    return this.ensemble.transactionBytes(operations);
  }

  /** @throws the error of the refusal */
  private async write<W extends SingleWrite>(
    write: W,
    options?: RequestOptions,
  ): Promise<Extract<OperationResult, { kind: W['kind'] }>> {
    assertLegal(write.path);
    this.assertFits(`${write.kind} ${write.path}`, this.ensemble.transactionBytes([write], true));
    this.transactions.flush();
    const result = await sendWrite(this.ensemble, this.clock, write, options);
    if (result.kind === 'refused')
      throw refusalError(result.refusal, write.path, 'version' in write ? write.version : undefined);
    // oxlint-disable-next-line no-unsafe-type-assertion -- the ensemble answers each operation in its own kind
    return result.results[0] as Extract<OperationResult, { kind: W['kind'] }>;
  }

  private assertFits(name: string, bytes: number): void {
    if (bytes > this.maxRequestBytes) throw new RequestTooLargeError(name, bytes, this.maxRequestBytes);
  }
}

/**
 * Creates the missing levels of a path.
 * @param create sends the creation of one level; the registry applies them in the order in which they are sent
 * @param openNamespace creates the namespace, which somebody may have deleted since this client has connected
 */
async function ensureLevels(
  path: string,
  create: (level: string) => Promise<unknown>,
  openNamespace: () => Promise<void>,
): Promise<void> {
  try {
    await createLevels(path, create);
  } catch (error) {
    if (!(error instanceof NoNodeError)) throw error;
    await openNamespace();
    await createLevels(path, create);
  }
}

async function createLevels(path: string, create: (level: string) => Promise<unknown>): Promise<void> {
  const names = path.split('/').slice(1);
  const levels = names.map((_, depth) => names.slice(0, depth + 1).reduce(childPath, '/'));
  // Sent all at once.
  await Promise.all(
    levels.map((level) =>
      create(level).catch((error: unknown) => {
        if (!(error instanceof NodeExistsError)) throw error;
      }),
    ),
  );
}
