import type { Clock } from '../../../libs/elastic-job/src/clock/index.js';
import type {
  NodeStat,
  Operation,
  OperationResult,
  Refusal,
  RegistryNode,
} from '../../../libs/elastic-job/src/registry/index.js';
import type { NodeChange } from '../../../libs/elastic-job/src/registry/known-subtree.js';
import { parentPath } from '../../../libs/elastic-job/src/registry/node-map.js';

/** A node and the number of children that it has ever had. */
interface ToyNode extends RegistryNode {
  readonly created: number;
}

/** Hears the changes of a commit. `isOwn`: this session has made them. */
export type ToyHearer = (changes: readonly NodeChange[], isOwn: boolean) => void;

/** An operation that leaves a node with data. */
type Writing = Extract<Operation, { readonly data: string }>;

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
    const changes: NodeChange[] = [];
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
    if (isForNothing(operation)) {
      const parent = parentPath(operation.path)!;
      if (parent !== '/' && !this.node(parent)) return 'NO_NODE';
      if (node) return 'NODE_EXISTS';
      return this.node(parent)?.stat.ephemeralOwner === undefined ? undefined : 'NO_CHILDREN_FOR_EPHEMERALS';
    }
    if (!node) return 'NO_NODE';
    const { kind } = operation;
    const version = 'version' in operation ? operation.version : undefined;
    if (version !== undefined && version !== node.stat.version) return 'BAD_VERSION';
    const isDeleted = kind === 'delete' || kind === 'renew' || kind === 'lead';
    return isDeleted && this.children(node.path).length > 0 ? 'NOT_EMPTY' : undefined;
  }

  private apply(operation: Operation, sessionId: string, changes: NodeChange[]): OperationResult {
    const path = this.pathOf(operation);
    const before = this.node(path);
    switch (operation.kind) {
      case 'check':
      case 'absent':
        return { kind: 'check' };
      case 'notify': {
        const node = { path, data: '', stat: this.newStat(undefined) };
        changes.push({ kind: 'created', node }, { kind: 'deleted', node });
        return { kind: 'check' };
      }
      case 'delete':
        this.remove(before!, changes);
        return { kind: 'delete' };
      case 'renew':
      case 'lead':
        if (before) this.remove(before, changes);
        break;
      default:
    }
    // Both are created as if they had been there, and written.
    if (operation.kind === 'lead' || operation.kind === 'token')
      this.put({ path, data: '', stat: this.newStat(operation.kind === 'lead' ? sessionId : undefined) }, changes);
    const stat = this.statOf(operation, this.node(path)?.stat, sessionId);
    this.put({ path, data: operation.data, stat }, changes);
    return operation.kind === 'create' || operation.kind === 'renew' ? { kind: 'create', path } : { kind: 'set', stat };
  }

  private remove(node: ToyNode, changes: NodeChange[]): void {
    this.nodes = this.nodes.filter((one) => one !== node);
    changes.push({ kind: 'deleted', node });
  }

  private put(node: RegistryNode, changes: NodeChange[]): void {
    const before = this.node(node.path);
    const parent = parentPath(node.path);
    changes.push({ kind: before ? 'changed' : 'created', node });
    if (before) this.nodes = this.nodes.map((one) => (one === before ? { ...before, ...node } : one));
    else
      this.nodes = this.nodes
        .map((one) => (one.path === parent ? { ...one, created: one.created + 1 } : one))
        .concat({ ...node, created: 0 });
  }

  private statOf(operation: Writing, before: NodeStat | undefined, sessionId: string): NodeStat {
    if (before) {
      const version = operation.kind === 'term' ? operation.term : before.version + 1;
      return { ...before, mzxid: this.zxid + 1n, mtime: this.clock.wallNow(), version };
    }
    const isEphemeral = 'mode' in operation && operation.mode.startsWith('EPHEMERAL');
    return this.newStat(isEphemeral ? sessionId : undefined);
  }

  private newStat(ephemeralOwner: string | undefined): NodeStat {
    const [zxid, now] = [this.zxid + 1n, this.clock.wallNow()];
    return { czxid: zxid, mzxid: zxid, ctime: now, mtime: now, version: 0, ephemeralOwner };
  }

  /** The path of an operation's node, with the number that a sequential one gets. */
  private pathOf(operation: Operation): string {
    const { path } = operation;
    if (operation.kind !== 'create' || !operation.mode.endsWith('_SEQUENTIAL')) return path;
    return path + String(this.node(parentPath(path)!)?.created ?? 0).padStart(10, '0');
  }
}

/** True if there must be no node at the path. */
function isForNothing(operation: Operation): boolean {
  const { kind } = operation;
  if (kind === 'lead') return operation.version === undefined;
  return kind === 'create' || kind === 'absent' || kind === 'notify' || kind === 'token';
}
