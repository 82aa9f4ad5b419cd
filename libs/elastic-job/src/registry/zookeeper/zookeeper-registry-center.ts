import type { Clock } from '../../clock/index.js';
import { childPath } from '../node-map.js';
import { refusalError } from '../refusal-error.js';
import type {
  CreateMode,
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
  TransactionResult,
} from '../registry-center.js';
import { NodeExistsError, NoNodeError, RegistryUnavailableError, RequestTooLargeError } from '../registry.errors.js';
import { CREATOR_ACL_BYTES, OPEN_ACL_BYTES, requestBytes, transactionBytes } from '../request-size.js';
import { loadClientLibrary } from './client-library.js';
import { Dialer } from './dialer.js';
import { openNamespace } from './open-namespace.js';
import { Protocol, refusalOf, type Request } from './protocol.js';
import { Session } from './session.js';
import { SubtreeView } from './subtree-view.js';
import { type ResolvedZooKeeperOptions, resolveZooKeeperOptions, type ZooKeeperOptions } from './zookeeper-options.js';

/** Comes and goes within one transaction, so nobody ever sees it. */
const TIME_NODE = '/nestjs-elastic-job.time';

/**
 * A client of a ZooKeeper ensemble, version 3.4 or later.
 *
 * Known limits of the connection underneath: a link that dies in silence is noticed only when a request times out or
 * the kernel gives up, LOST comes from the server alone, and subtree views cost a read for each change they hear of.
 */
export class ZooKeeperRegistryCenter implements RegistryCenter {
  readonly maxRequestBytes: number;
  private readonly options: ResolvedZooKeeperOptions;
  private readonly protocol: Protocol;
  private readonly connection: Session;
  private readonly aclBytes: number;

  /** @throws {ConfigurationError} for options that cannot work. */
  constructor(options: ZooKeeperOptions, clock: Clock) {
    const library = loadClientLibrary();
    this.options = resolveZooKeeperOptions(options);
    this.maxRequestBytes = this.options.maxRequestBytes;
    this.aclBytes = this.options.digest === undefined ? OPEN_ACL_BYTES : CREATOR_ACL_BYTES;
    this.protocol = new Protocol(library.jute, this.options.digest !== undefined);
    const dialer = new Dialer(library, this.protocol, this.options, clock);
    this.connection = new Session(dialer, this.options, clock, (connection) =>
      openNamespace(connection, this.protocol, this.options.namespace),
    );
  }

  get session(): SessionInfo {
    return this.connection.info;
  }

  get traffic(): Readonly<RegistryTraffic> {
    return this.connection.traffic;
  }

  connect(options?: RequestOptions): Promise<void> {
    return this.connection.connect(options);
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  onSession(listener: (session: SessionInfo) => void): () => void {
    return this.connection.onChange(listener);
  }

  async read(path: string, options?: RequestOptions): Promise<RegistryNode | undefined> {
    const request = this.protocol.node(this.options.namespace.absolute(path));
    const content = await unlessAbsent(this.ask('read', path, request, options));
    return content && { path, ...content };
  }

  async exists(path: string, options?: RequestOptions): Promise<NodeStat | undefined> {
    const request = this.protocol.exists(this.options.namespace.absolute(path));
    return unlessAbsent(this.ask('exists', path, request, options));
  }

  async children(path: string, options?: RequestOptions): Promise<readonly string[]> {
    return this.ask('children', path, this.protocol.children(this.options.namespace.absolute(path)), options);
  }

  async create(path: string, data: string, mode: CreateMode, options?: RequestOptions): Promise<string> {
    this.assertFits({ kind: 'create', path, data, mode });
    const request = this.protocol.create(this.options.namespace.absolute(path), data, mode);
    return this.localPath(await this.ask('create', path, request, options));
  }

  async ensurePath(path: string, options?: RequestOptions): Promise<void> {
    this.options.namespace.absolute(path); // refuses an illegal path before its parts are made
    const names = path.split('/').slice(1);
    const levels = names.map((_, depth) => names.slice(0, depth + 1).reduce(childPath, '/'));
    // All at once: the server takes them in this order.
    await Promise.all(
      levels.map((level) =>
        this.create(level, '', 'PERSISTENT', options).catch((error: unknown) => {
          if (!(error instanceof NodeExistsError)) throw error;
        }),
      ),
    );
  }

  async set(path: string, data: string, version?: number, options?: RequestOptions): Promise<NodeStat> {
    this.assertFits({ kind: 'set', path, data });
    const request = this.protocol.set(this.options.namespace.absolute(path), data, version);
    return this.ask('set', path, request, options, version);
  }

  async delete(path: string, version?: number, options?: RequestOptions): Promise<void> {
    const request = this.protocol.delete(this.options.namespace.absolute(path), version);
    return this.ask('delete', path, request, options, version);
  }

  async transaction(operations: readonly Operation[], options?: RequestOptions): Promise<TransactionResult> {
    const name = `transaction of ${operations.length}`;
    this.assertSize(name, this.transactionBytes(operations));
    const sent = operations.map((operation) => ({
      ...operation,
      path: this.options.namespace.absolute(operation.path),
    }));
    const answer = await this.connection.request(name, this.protocol.multi(sent), options);
    if (answer.kind === 'refused') throw unknownCode(name, answer.code);
    if (answer.value.kind === 'committed') {
      return { kind: 'committed', results: answer.value.results.map((result) => this.localResult(result)) };
    }
    const { index, code } = answer.value;
    const refusal = refusalOf(code);
    if (!refusal) throw unknownCode(name, code);
    return { kind: 'refused', index, path: operations[index]?.path ?? '/', refusal };
  }

  async openSubtree(path: string, listener: SubtreeListener, options?: RequestOptions): Promise<Subtree> {
    this.options.namespace.absolute(path);
    const view = new SubtreeView(this.connection, this.protocol, this.options.namespace, path, listener);
    await view.open(options);
    return view;
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

  private async ask<T>(
    operation: string,
    path: string,
    request: Request<T>,
    options?: RequestOptions,
    version?: number,
  ): Promise<T> {
    const name = `${operation} ${path}`;
    const answer = await this.connection.request(name, request, options);
    if (answer.kind === 'ok') return answer.value;
    const refusal = refusalOf(answer.code);
    throw refusal ? refusalError(refusal, path, version) : unknownCode(name, answer.code);
  }

  private assertFits(operation: Operation): void {
    const bytes = requestBytes(operation, this.options.namespace, this.aclBytes);
    this.assertSize(`${operation.kind} ${operation.path}`, bytes);
  }

  private assertSize(name: string, bytes: number): void {
    if (bytes > this.maxRequestBytes) throw new RequestTooLargeError(name, bytes, this.maxRequestBytes);
  }

  private localPath(absolutePath: string): string {
    return this.options.namespace.relative(absolutePath) ?? absolutePath;
  }

  private localResult(result: OperationResult): OperationResult {
    return result.kind === 'create' ? { ...result, path: this.localPath(result.path) } : result;
  }
}

async function unlessAbsent<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof NoNodeError) return undefined;
    throw error;
  }
}

function unknownCode(operation: string, code: number): RegistryUnavailableError {
  return new RegistryUnavailableError(operation, 'not-applied', `the server refused it with code ${code}`);
}
