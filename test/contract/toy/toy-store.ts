import type { Clock } from '../../../libs/elastic-job/src/clock/index.js';
import type {
  NodeStat,
  Operation,
  OperationResult,
  Refusal,
  RegistryNode,
} from '../../../libs/elastic-job/src/registry/index.js';
import { parentPath } from '../../../libs/elastic-job/src/registry/node-map.js';

/** A node and the number of children that it has ever had. */
interface ToyNode extends RegistryNode {
  readonly created: number;
}

export interface ToyChange {
  readonly kind: 'created' | 'changed' | 'deleted';
  readonly node: RegistryNode;
}

/** Hears the changes of a commit. `isOwn`: this session has made them. */
export type ToyHearer = (changes: readonly ToyChange[], isOwn: boolean) => void;

type ToyResult =
  | { readonly kind: 'committed'; readonly results: readonly OperationResult[] }
  | { readonly kind: 'refused'; readonly index: number; readonly refusal: Refusal };

/** The nodes of all clients in one array, and a mutex. Sessions hear of a commit within it. */
export class ToyStore {
  nodes: readonly ToyNode[] = [];
  private readonly sessions = new Map<string, ToyHearer>();
  private opened = 0;
  private zxid = 0n;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly clock: Clock) {}

  /** Does the work once all earlier work is done. */
  alone<T>(work: () => T): Promise<T> {
    const done = this.last.then(work);
    this.last = done.catch(() => {});
    return done;
  }

  node(path: string): ToyNode | undefined {
    return this.nodes.find((node) => node.path === path);
  }

  children(path: string): readonly ToyNode[] {
    return this.nodes.filter((node) => parentPath(node.path) === path);
  }

  openSession(hearer: ToyHearer): string {
    const id = (this.opened += 1).toString(16);
    this.sessions.set(id, hearer);
    return id;
  }

  endSession(id: string): void {
    this.sessions.delete(id);
    const own = this.nodes.filter(({ stat }) => stat.ephemeralOwner === id);
    const deletions = own.map(({ path }) => ({ kind: 'delete', path }) as const);
    this.commit(deletions, id);
  }

  commit(operations: readonly Operation[], sessionId: string): ToyResult {
    const before = this.nodes;
    const results: OperationResult[] = [];
    const changes: ToyChange[] = [];
    for (const [index, operation] of operations.entries()) {
      const refusal = this.refusalOf(operation);
      if (refusal !== undefined) {
        this.nodes = before;
        return { kind: 'refused', index, refusal };
      }
      results.push(this.apply(operation, sessionId, changes));
    }
    this.zxid += 1n;
    for (const [id, hear] of this.sessions) hear(changes, id === sessionId);
    return { kind: 'committed', results };
  }

  private refusalOf(operation: Operation): Refusal | undefined {
    const node = this.node(this.pathOf(operation));
    if (operation.kind === 'create') {
      const parent = parentPath(operation.path)!;
      if (parent !== '/' && !this.node(parent)) return 'NO_NODE';
      if (node) return 'NODE_EXISTS';
      return this.node(parent)?.stat.ephemeralOwner === undefined ? undefined : 'NO_CHILDREN_FOR_EPHEMERALS';
    }
    if (!node) return 'NO_NODE';
    if (operation.version !== undefined && operation.version !== node.stat.version) return 'BAD_VERSION';
    return operation.kind === 'delete' && this.children(node.path).length > 0 ? 'NOT_EMPTY' : undefined;
  }

  private apply(operation: Operation, sessionId: string, changes: ToyChange[]): OperationResult {
    if (operation.kind === 'check') return { kind: 'check' };
    const path = this.pathOf(operation);
    const before = this.node(path);
    if (operation.kind === 'delete') {
      this.nodes = this.nodes.filter((node) => node !== before);
      changes.push({ kind: 'deleted', node: before! });
      return { kind: 'delete' };
    }
    const stat = this.statOf(operation, before?.stat, sessionId);
    const node = { path, data: operation.data, stat, created: before?.created ?? 0 };
    changes.push({ kind: before ? 'changed' : 'created', node });
    const parent = parentPath(path);
    if (before) this.nodes = this.nodes.map((one) => (one === before ? node : one));
    else
      this.nodes = this.nodes
        .map((one) => (one.path === parent ? { ...one, created: one.created + 1 } : one))
        .concat(node);
    return operation.kind === 'create' ? { kind: 'create', path } : { kind: 'set', stat };
  }

  private statOf(operation: Operation, before: NodeStat | undefined, sessionId: string): NodeStat {
    const [mzxid, mtime] = [this.zxid + 1n, this.clock.wallNow()];
    if (before) return { ...before, mzxid, mtime, version: before.version + 1 };
    const isEphemeral = operation.kind === 'create' && operation.mode.startsWith('EPHEMERAL');
    const ephemeralOwner = isEphemeral ? sessionId : undefined;
    return { czxid: mzxid, mzxid, ctime: mtime, mtime, version: 0, ephemeralOwner };
  }

  /** The path of an operation's node, with the number that a sequential one gets. */
  private pathOf(operation: Operation): string {
    const { path } = operation;
    if (operation.kind !== 'create' || !operation.mode.endsWith('_SEQUENTIAL')) return path;
    return path + String(this.node(parentPath(path)!)?.created ?? 0).padStart(10, '0');
  }
}
