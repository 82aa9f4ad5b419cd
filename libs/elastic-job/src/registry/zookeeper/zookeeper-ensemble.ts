import type { Clock } from '../../clock/index.js';
import { unlessAbsent } from '../absent.js';
import { type Ensemble, NodeEnsemble, type SyncOfViews } from '../ensemble.js';
import { CREATOR_ACL_BYTES, OPEN_ACL_BYTES, requestName } from '../node-operations.js';
import type {
  ChildrenWatch,
  CloseOptions,
  NodeOperation,
  NodeOwners,
  OperationResult,
  RegistryNode,
  RegistryTraffic,
  RequestOptions,
  SessionInfo,
  Subtree,
  SubtreeListener,
  SubtreeOptions,
  TransactionResult,
  WatchOptions,
} from '../registry-center.js';
import { refusalError, serverError } from '../request-errors.js';
import { SharedRegistry } from '../shared-registry.js';
import { createNamespace, OwnWrite } from './session/index.js';
import { ZooKeeperChildrenWatch } from './view/children-watch.js';
import { SubtreeView, TIME_NODE } from './view/subtree-view.js';
import {
  type MultiAnswer,
  type MultiResult,
  type NodeFound,
  type NodeRead,
  readPieces,
  refusalOf,
  type Request,
  valueOf,
} from './wire/index.js';
import { ZooKeeperClient } from './zookeeper-client.js';
import { type ResolvedZooKeeperOptions, resolveZooKeeperOptions, type ZooKeeperOptions } from './zookeeper-options.js';

/**
 * A ZooKeeper ensemble, version 3.6 or later. Each request is sent once and ends within its deadline; reads continue
 * over a reconnect. A call of one node is sent as ZooKeeper's plain request.
 *
 * Every request throws RegistryUnavailableError, SessionLostError, the signal's reason, and the error of a code that is
 * not about a node's state.
 */
export class ZooKeeperEnsemble extends NodeEnsemble implements Ensemble {
  readonly client: ZooKeeperClient;
  /** A write that changes nothing. */
  private readonly nothing: Request<MultiAnswer>;

  constructor(options: ResolvedZooKeeperOptions, clock: Clock) {
    super(clock, options.namespace, options.ownsNodes ? CREATOR_ACL_BYTES : OPEN_ACL_BYTES, options);
    this.client = new ZooKeeperClient(options, clock);
    this.nothing = this.client.protocol.multi([{ kind: 'check', path: '/' }], [options.namespace.root]);
  }

  get session(): SessionInfo {
    return this.client.session.info;
  }

  get lastZxid(): bigint {
    return this.client.session.lastZxid;
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
    const { warned } = this.client;
    warned.add(listener);
    return () => warned.delete(listener);
  }

  async readMany(
    paths: readonly string[],
    options?: RequestOptions,
    single?: 'read' | 'exists',
  ): Promise<readonly (RegistryNode | undefined)[]> {
    if (single !== undefined) return [await unlessAbsent(this.readOne(single, paths[0]!, options))];
    const found = await this.readParts(`read ${paths.length} nodes below`, 'data', paths, options);
    return found.map((one, index) => nodeFound(paths[index]!, one));
  }

  async childrenMany(
    paths: readonly string[],
    options?: RequestOptions,
    isSingle = false,
  ): Promise<readonly (readonly string[] | undefined)[]> {
    if (isSingle) {
      const list = this.client.protocol.children(this.client.absolute(paths[0]!));
      return [await unlessAbsent(this.askRead('children', paths[0]!, list, options))];
    }
    const found = await this.readParts(`children of ${paths.length} nodes below`, 'children', paths, options);
    return found.map((one, index) => namesFound(paths[index]!, one));
  }

  protected async send(
    operations: readonly NodeOperation[],
    options?: RequestOptions,
    isSingle = false,
  ): Promise<TransactionResult> {
    const name = requestName(operations, isSingle);
    const reply = await this.client.requests.ask(name, this.writing(operations, isSingle), options);
    if (reply.kind === 'refused' && !isSingle) throw serverError(reply.code, name);
    const answer = reply.kind === 'ok' ? reply.value : ({ kind: 'refused', index: 0, code: reply.code } as const);
    if (answer.kind === 'committed') {
      const { results } = answer;
      return { kind: 'committed', results: results.map((result, n) => this.localResult(operations[n]!, result)) };
    }
    const { index, code } = answer;
    const refusal = refusalOf(code);
    const path = operations[index]?.path ?? '/';
    if (!refusal) throw serverError(code, name, path);
    return { kind: 'refused', index, path, refusal };
  }

  createNamespace(options?: RequestOptions): Promise<void> {
    return createNamespace(this.client.requests, this.client.protocol, this.namespace, options);
  }

  /**
   * A write that changes nothing, over the next connection if the present one has broken. ZooKeeper's own `sync` is not
   * enough: a leader answers its own clients at once, although a follower may have shown them a write that the leader
   * has yet to apply, and although it may have been deposed.
   * @see ZOOKEEPER-1675
   */
  async sync(options?: RequestOptions): Promise<void> {
    valueOf('sync /', '/', await this.client.requests.askReadOnceBack('sync /', this.nothing, options));
  }

  async openSubtree(
    path: string,
    listener: SubtreeListener,
    sync: SyncOfViews,
    options?: SubtreeOptions,
  ): Promise<Subtree> {
    const view = new SubtreeView(this.client, path, listener, sync, options);
    await view.open(options);
    return view;
  }

  async watchChildren(
    path: string,
    onChange: (changed: string | undefined) => void,
    options?: WatchOptions,
  ): Promise<ChildrenWatch> {
    const watch = new ZooKeeperChildrenWatch(this.client, path, onChange, options?.isDeep);
    await watch.open(options);
    return watch;
  }

  async serverTime(options?: RequestOptions): Promise<number> {
    const result = await this.send(
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

  /** @throws {NoNodeError} */
  private async readOne(what: 'read' | 'exists', path: string, options?: RequestOptions): Promise<RegistryNode> {
    const { protocol } = this.client;
    const absolutePath = this.client.absolute(path);
    if (what === 'read') return { path, ...(await this.askRead(what, path, protocol.node(absolutePath), options)) };
    return { path, data: '', stat: await this.askRead(what, path, protocol.exists(absolutePath), options) };
  }

  /** Reads one part of many nodes, in their order. Each piece of up to 200 nodes is read at one moment. */
  private async readParts(
    operation: string,
    what: NodeRead['what'],
    paths: readonly string[],
    options?: RequestOptions,
  ): Promise<readonly NodeFound[]> {
    const reads = paths.map((path) => ({ what, path: this.client.absolute(path) }));
    const pieces = readPieces(reads).map((piece) =>
      this.askRead(operation, '/', this.client.protocol.multiRead(piece), options),
    );
    return (await Promise.all(pieces)).flat();
  }

  private async askRead<T>(operation: string, path: string, request: Request<T>, options?: RequestOptions): Promise<T> {
    const name = `${operation} ${path}`;
    return valueOf(name, path, await this.client.requests.askRead(name, request, options));
  }

  /** A write that tells the watchers of its nodes and, by the stamp in its answer, the registry's clock. */
  private writing(operations: readonly NodeOperation[], isSingle: boolean): Request<MultiAnswer> {
    const { protocol, session } = this.client;
    const paths = operations.map(({ path }) => this.client.absolute(path));
    const request = isSingle ? protocol.single(operations[0]!, paths[0]!) : protocol.multi(operations, paths);
    const { createdPath } = this;
    return new OwnWrite(session.watches, this.registryTime, request, { operations, paths, resultsIn, createdPath });
  }

  private localResult({ path }: NodeOperation, result: MultiResult): OperationResult {
    return result.kind === 'create' ? { kind: 'create', path: this.createdPath(path, result.path) } : result;
  }

  /** The port's path of a created node. @param absolutePath the server's, if that may have added a number */
  private readonly createdPath = (named: string, absolutePath: string | undefined): string =>
    absolutePath === undefined || absolutePath.endsWith(named) ? named : this.client.relative(absolutePath);
}

function resultsIn(answer: MultiAnswer): readonly MultiResult[] | undefined {
  return answer.kind === 'committed' ? answer.results : undefined;
}

/** A node that was read among others. @throws the error of the refusal, unless the node is missing */
function nodeFound(path: string, found: NodeFound): RegistryNode | undefined {
  if (found.kind === 'data') return { path, data: found.data, stat: found.stat };
  return missing('read', path, found);
}

/** The names of children that were read among others. @throws as `nodeFound` */
function namesFound(path: string, found: NodeFound): readonly string[] | undefined {
  return found.kind === 'children' ? found.names : missing('children', path, found);
}

function missing(operation: string, path: string, found: NodeFound): undefined {
  const code = found.kind === 'refused' ? found.code : 0;
  return refusalOf(code) === 'NO_NODE' ? undefined : valueOf(`${operation} ${path}`, path, { kind: 'refused', code });
}

/** The registry over a ZooKeeper ensemble, version 3.6 or later. */
export class ZooKeeperRegistryCenter extends SharedRegistry {
  /** @throws {ConfigurationError} for invalid options */
  constructor(options: ZooKeeperOptions, clock: Clock) {
    super(new ZooKeeperEnsemble(resolveZooKeeperOptions(options), clock), clock);
  }
}
