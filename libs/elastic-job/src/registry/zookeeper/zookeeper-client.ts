import type { Clock } from '../../clock/index.js';
import type { TimeInterval } from '../../domain/index.js';
import { serverError } from '../refusal-error.js';
import type {
  CreateMode,
  NodeOwners,
  NodeStat,
  Operation,
  OperationResult,
  RegistryNode,
  TransactionResult,
} from '../registry-center.js';
import type { RequestOptions } from '../request-options.js';
import { RegistryTime } from '../registry-time.js';
import { SharedSync } from '../shared-sync.js';
import { SharedTransactions } from '../shared-transactions.js';
import { Calm } from '../calm.js';
import { AclJudge } from './acl-judge.js';
import {
  FrameWriter,
  type Link,
  loadJute,
  type MultiAnswer,
  type MultiResult,
  type NodeFound,
  type NodeRead,
  Protocol,
  readPieces,
  refusalOf,
  type Reply,
  type Request,
} from './wire/index.js';
import {
  askLink,
  createNamespace,
  linksOfThisThread,
  openNamespace,
  OwnWrite,
  Session,
  SessionRequests,
  SharedReads,
  Warnings,
  warnOfPlainText,
  warnOfStandstill,
  type Watcher,
} from './session/index.js';
import { nodeOwners } from './node-owners.js';
import { nodeFound, unlessAbsent, valueOf } from './reply-value.js';
import { linksOfWorker } from './worker/worker-links.js';
import type { ResolvedZooKeeperOptions } from './zookeeper-options.js';

/**
 * Operations of a ZooKeeper ensemble as promises, with every path below the namespace. Each request is sent once and
 * ends within its deadline; reads continue over a reconnect. It knows nothing about the meaning of the nodes.
 *
 * Every method throws RegistryUnavailableError, SessionLostError, the signal's reason, the error of the refusal, and
 * ServerError for a code that is not about a node's state.
 */
export class ZooKeeperClient {
  readonly session: Session;
  readonly requests: SessionRequests;
  readonly warnings = new Warnings();
  /** Undefined without credentials. */
  readonly owners: NodeOwners | undefined;
  /** `sync`, with one request for all callers of one turn of the event loop. */
  readonly sharedSync: SharedSync;
  readonly sharedTransactions: SharedTransactions;
  readonly calm: Calm;
  private readonly sharedReads: SharedReads;
  private readonly protocol: Protocol;
  private readonly registryTime: RegistryTime;
  /** A write that changes nothing. */
  private readonly nothing: Request<MultiAnswer>;

  constructor(
    private readonly options: ResolvedZooKeeperOptions,
    clock: Clock,
  ) {
    this.registryTime = new RegistryTime(clock);
    const jute = loadJute();
    this.protocol = new Protocol(jute, options.ownsNodes);
    this.nothing = this.protocol.multi([{ kind: 'check', path: '/' }], [options.namespace.root]);
    const { links, lease } =
      options.connection === 'worker-thread'
        ? linksOfWorker(this.protocol, options, clock)
        : linksOfThisThread(this.protocol, new FrameWriter(jute), options, clock);
    const warn = (message: string) => this.warnings.tell(message);
    const judge = options.ownsNodes ? new AclJudge(this.protocol, options, warn) : undefined;
    const prepare = async (link: Link) => {
      await openNamespace(link, this.protocol, options.namespace, options.serverList);
      // Later changes of the ACL are found when a job is joined.
      if (this.session.info.state !== undefined) return;
      await judge?.assertOwn(options.namespace.root, (operation, request) => askLink(link, operation, request));
    };
    this.session = new Session(links, this.protocol, options, clock, lease, prepare, warn);
    this.requests = new SessionRequests(this.session, lease, options, clock);
    this.owners = judge && nodeOwners(judge, this.requests, options.namespace);
    const { maxRequestBytes } = options;
    const send = (operations: readonly Operation[]) => this.transaction(operations);
    const sessionId = () => this.session.info.id;
    this.calm = new Calm(clock);
    this.sharedTransactions = new SharedTransactions({ sessionId, maxRequestBytes, send }, clock, this.calm);
    const flush = () => this.sharedTransactions.flush();
    this.sharedSync = new SharedSync({ sessionId, send: () => this.syncWhenConnected(), flush }, clock, this.calm);
    this.sharedReads = new SharedReads((reads, counted, receive) =>
      this.session.send(this.protocol.multiRead(reads), receive, counted),
    );
    warnOfStandstill(this.session, options, clock, warn);
    warnOfPlainText(this.session, options, warn);
  }

  /** The ensemble's wall clock, as the stats of this client's writes show it; undefined before the first. */
  time(): TimeInterval | undefined {
    return this.registryTime.now();
  }

  async read(path: string, options?: RequestOptions): Promise<RegistryNode | undefined> {
    const request = this.protocol.node(this.absolute(path));
    const content = await unlessAbsent(this.askRead('read', path, request, options));
    return content && { path, ...content };
  }

  async exists(path: string, options?: RequestOptions): Promise<NodeStat | undefined> {
    return unlessAbsent(this.askRead('exists', path, this.protocol.exists(this.absolute(path)), options));
  }

  async children(path: string, options?: RequestOptions): Promise<readonly string[]> {
    return this.askRead('children', path, this.protocol.children(this.absolute(path)), options);
  }

  /**
   * The nodes in the order of the paths; undefined for a path without a node. Each piece of up to half a megabyte of
   * paths is read at one moment.
   */
  async readMany(paths: readonly string[], options?: RequestOptions): Promise<readonly (RegistryNode | undefined)[]> {
    const reads = paths.map((path) => ({ what: 'data', path: this.absolute(path) }) as const);
    const pieces = readPieces(reads).map((piece) =>
      this.askRead(`read ${paths.length} nodes below`, '/', this.protocol.multiRead(piece), options),
    );
    const found = (await Promise.all(pieces)).flat();
    return found.map((one, index) => nodeFound(paths[index]!, one));
  }

  /** @returns the path that was created */
  async create(path: string, data: string, mode: CreateMode, options?: RequestOptions): Promise<string> {
    const operation = { kind: 'create', path, data, mode } as const;
    const request = this.protocol.create(this.absolute(path), data, mode);
    const writing = this.writing([operation], request, (created) => [{ kind: 'create', ...created }]);
    const created = await this.ask('create', path, writing, options);
    return this.createdPath(path, created.path);
  }

  createNamespace(options?: RequestOptions): Promise<void> {
    return createNamespace(this.requests, this.protocol, this.options.namespace, options);
  }

  async set(path: string, data: string, version?: number, options?: RequestOptions): Promise<NodeStat> {
    const operation = { kind: 'set', path, data, version } as const;
    const request = this.protocol.set(this.absolute(path), data, version);
    const writing = this.writing([operation], request, (stat) => [{ kind: 'set', stat }]);
    return this.ask('set', path, writing, options, version);
  }

  async delete(path: string, version?: number, options?: RequestOptions): Promise<void> {
    const operation = { kind: 'delete', path, version } as const;
    const request = this.protocol.delete(this.absolute(path), version);
    const writing = this.writing([operation], request, () => [{ kind: 'delete' }]);
    return this.ask('delete', path, writing, options, version);
  }

  /** @param operations with paths that were checked before */
  async transaction(operations: readonly Operation[], options?: RequestOptions): Promise<TransactionResult> {
    this.sharedTransactions.flush();
    const name = `transaction of ${operations.length}`;
    const paths = this.pathsOf(operations);
    const request = this.writing(
      operations,
      this.protocol.multi(operations, paths),
      (answer) => (answer.kind === 'committed' ? answer.results : undefined),
      paths,
    );
    const reply = await this.requests.ask(name, request, options);
    if (reply.kind === 'refused') throw serverError(reply.code, name);
    if (reply.value.kind === 'committed') {
      const { results } = reply.value;
      return { kind: 'committed', results: results.map((result, n) => this.localResult(operations[n]!, result)) };
    }
    const { index, code } = reply.value;
    const refusal = refusalOf(code);
    const path = operations[index]?.path ?? '/';
    if (!refusal) throw serverError(code, name, path);
    return { kind: 'refused', index, path, refusal };
  }

  /**
   * Resolves when this client's server holds everything that was committed before the call, and all its events have
   * been told.
   *
   * It is a write that changes nothing. ZooKeeper's own `sync` is not enough: a leader answers its own clients at once,
   * although a follower may have shown them a write that the leader has yet to apply, and although it may have been
   * deposed.
   * @see ZOOKEEPER-1675
   */
  async sync(path: string, options?: RequestOptions): Promise<void> {
    await this.askRead('sync', path, this.nothing, options);
  }

  /** Uses the next connection if the present one has broken since the sync was asked for. */
  private async syncWhenConnected(): Promise<void> {
    const { id, state } = this.session.info;
    if (state === 'SUSPENDED') await this.requests.bounded('sync /', this.session.regained(id));
    await this.sync('/');
  }

  /** Watches a path as the watcher asks, until `unwatch` or the end of the session. The path need not exist. */
  watch(path: string, watcher: Watcher, receive: (reply: Reply<void>) => void = () => {}): void {
    const absolutePath = this.absolute(path);
    const { watches } = this.session;
    watches.add(absolutePath, watcher);
    this.session.send(this.protocol.addWatch(absolutePath, watches.isRecursive(absolutePath)), (answer) => {
      // A connection that is gone has no watches, and the next one gets all of them.
      if (answer.kind !== 'dropped') receive(answer);
    });
  }

  unwatch(path: string, watcher: Watcher): void {
    const absolutePath = this.absolute(path);
    if (!this.session.watches.remove(absolutePath, watcher)) return;
    this.session.send(this.protocol.removeWatches(absolutePath), () => {});
  }

  /**
   * Reads parts of nodes in line with the watches. `receive` is called for each part, in order, without a reply if the
   * connection broke first. Parts that several views want in one turn share requests.
   */
  readParts<R extends NodeRead>(
    reads: readonly R[],
    counted: 'foreground' | 'background',
    receive: (read: R, reply: Reply<NodeFound> | undefined) => void,
  ): void {
    const parts = reads.map((read) => ({
      read: { what: read.what, path: this.absolute(read.path) },
      receive: (reply: Reply<NodeFound> | undefined) => receive(read, reply),
    }));
    this.sharedReads.add(parts, counted);
  }

  /** Returns the server's path. @throws {ConfigurationError} if ZooKeeper would refuse it */
  absolute(path: string): string {
    return this.options.namespace.absolute(path);
  }

  /** Returns the path below the namespace for a path of the server. */
  relative(absolutePath: string): string {
    return this.options.namespace.relative(absolutePath) ?? absolutePath;
  }

  /** Reports a write to the watchers of its nodes and, by the stamp in its answer, to the registry's clock. */
  private writing<T>(
    operations: readonly Operation[],
    request: Request<T>,
    resultsIn: (value: T) => readonly MultiResult[] | undefined,
    paths = this.pathsOf(operations),
  ): Request<T> {
    const { createdPath } = this;
    const writing = { operations, paths, resultsIn, createdPath };
    return new OwnWrite(this.session.watches, this.registryTime, request, writing);
  }

  /** The server's paths of operations whose paths were checked before. */
  private pathsOf(operations: readonly Operation[]): readonly string[] {
    return operations.map(({ path }) => this.options.namespace.absoluteOf(path));
  }

  private async ask<T>(
    operation: string,
    path: string,
    request: Request<T>,
    options?: RequestOptions,
    version?: number,
  ): Promise<T> {
    this.sharedTransactions.flush();
    const name = `${operation} ${path}`;
    return valueOf(name, path, await this.requests.ask(name, request, options), version);
  }

  private async askRead<T>(operation: string, path: string, request: Request<T>, options?: RequestOptions): Promise<T> {
    this.sharedTransactions.flush();
    const name = `${operation} ${path}`;
    return valueOf(name, path, await this.requests.askRead(name, request, options));
  }

  private localResult({ path }: Operation, result: MultiResult): OperationResult {
    return result.kind === 'create' ? { kind: 'create', path: this.createdPath(path, result.path) } : result;
  }

  /** The port's path of a created node. @param absolutePath the server's, if that may have added a number */
  private readonly createdPath = (named: string, absolutePath: string | undefined): string =>
    absolutePath === undefined || absolutePath.endsWith(named) ? named : this.relative(absolutePath);
}
