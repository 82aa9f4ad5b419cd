import { isNumbered } from '../operations.js';
import type { NodeChange } from '../known-subtree.js';
import { NodeMap, parentPath } from '../node-map.js';
import type { CreateMode, NodeOperation, OperationResult, Refusal, RegistryNode } from '../registry-center.js';

/** Session and time of the operations. */
interface Commit {
  readonly zxid: bigint;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly sessionId: string;
}

export type CommitResult =
  | {
      readonly kind: 'committed';
      readonly results: readonly OperationResult[];
      readonly changes: readonly NodeChange[];
    }
  | { readonly kind: 'refused'; readonly index: number; readonly refusal: Refusal };

type Step =
  | { readonly kind: 'done'; readonly result: OperationResult; readonly change?: NodeChange; undo(): void }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/**
 * The server's tree. Paths are absolute; nodes are immutable values that a write replaces. It knows no sessions and no
 * time. The rules, and the order of their checks, are those of ZooKeeper's PrepRequestProcessor.
 */
export class NodeTree {
  private readonly nodes = new NodeMap<RegistryNode>();
  /** Creations below a node so far, including deleted ones: the source of sequence numbers. */
  private readonly creations = new Map<string, number>();

  constructor() {
    this.put({ path: '/', data: '', stat: firstStat({ zxid: 0n, time: 0, sessionId: '' }, 'PERSISTENT') });
  }

  node(path: string): RegistryNode | undefined {
    return this.nodes.get(path);
  }

  children(path: string): readonly string[] {
    return this.nodes.children(path);
  }

  /** The node and all nodes below it, parents first. */
  subtree(path: string): readonly RegistryNode[] {
    return this.nodesAt(this.nodes.subtree(path));
  }

  ephemeralsOf(sessionId: string): readonly RegistryNode[] {
    return this.nodesAt(this.nodes.paths()).filter((node) => node.stat.ephemeralOwner === sessionId);
  }

  /** Applies all operations or none. Each one sees the effects of those before it. */
  apply(operations: readonly NodeOperation[], commit: Commit): CommitResult {
    const done: Extract<Step, { kind: 'done' }>[] = [];
    for (const [index, operation] of operations.entries()) {
      const step = this.step(operation, commit);
      if (step.kind === 'refused') {
        for (const earlier of done.toReversed()) earlier.undo();
        return { kind: 'refused', index, refusal: step.refusal };
      }
      done.push(step);
    }
    return {
      kind: 'committed',
      results: done.map(({ result }) => result),
      changes: done.flatMap(({ change }) => change ?? []),
    };
  }

  private step(operation: NodeOperation, commit: Commit): Step {
    switch (operation.kind) {
      case 'create':
        return this.create(operation.path, operation.data, operation.mode, commit);
      case 'set':
        return this.set(operation.path, operation.data, operation.version, commit);
      case 'delete':
        return this.delete(operation.path, operation.version);
      case 'check':
        return this.check(operation.path, operation.version);
      default:
        return operation satisfies never;
    }
  }

  private create(requestedPath: string, data: string, mode: CreateMode, commit: Commit): Step {
    const parent = this.nodes.get(parentPath(requestedPath) ?? '/');
    if (!parent) return refused('NO_NODE');
    const count = this.creations.get(parent.path) ?? 0;
    const path = isNumbered(mode) ? requestedPath + String(count).padStart(10, '0') : requestedPath;
    if (this.nodes.get(path)) return refused('NODE_EXISTS');
    if (parent.stat.ephemeralOwner !== undefined) return refused('NO_CHILDREN_FOR_EPHEMERALS');

    const node = { path, data, stat: firstStat(commit, mode) };
    this.put(node);
    this.creations.set(parent.path, count + 1);
    const undo = () => {
      this.nodes.remove(path);
      this.creations.set(parent.path, count);
    };
    return { kind: 'done', result: { kind: 'create', path }, change: { kind: 'created', node }, undo };
  }

  private set(path: string, data: string, version: number | undefined, commit: Commit): Step {
    const found = this.expect(path, version);
    if (found.kind === 'refused') return found;
    const before = found.node;
    const stat = { ...before.stat, mzxid: commit.zxid, mtime: commit.time, version: before.stat.version + 1 };
    const node = { path, data, stat };
    this.put(node);
    const undo = () => this.put(before);
    return { kind: 'done', result: { kind: 'set', stat }, change: { kind: 'changed', node }, undo };
  }

  private delete(path: string, version: number | undefined): Step {
    const found = this.expect(path, version);
    if (found.kind === 'refused') return found;
    if (this.nodes.childCount(path) !== 0) return refused('NOT_EMPTY');
    const { node } = found;
    const count = this.creations.get(path) ?? 0;
    this.nodes.remove(path);
    this.creations.delete(path);
    const undo = () => {
      this.put(node);
      this.creations.set(path, count);
    };
    return { kind: 'done', result: { kind: 'delete' }, change: { kind: 'deleted', node }, undo };
  }

  private check(path: string, version: number | undefined): Step {
    const found = this.expect(path, version);
    return found.kind === 'refused' ? found : { kind: 'done', result: { kind: 'check' }, undo: () => {} };
  }

  private put(node: RegistryNode): void {
    this.nodes.put(node.path, node);
  }

  private nodesAt(paths: Iterable<string>): readonly RegistryNode[] {
    return Array.from(paths, (path) => this.nodes.get(path)!);
  }

  private expect(path: string, version: number | undefined) {
    const node = this.nodes.get(path);
    if (!node) return refused('NO_NODE');
    if (version !== undefined && version !== node.stat.version) return refused('BAD_VERSION');
    return { kind: 'found', node } as const;
  }
}

function refused(refusal: Refusal): { readonly kind: 'refused'; readonly refusal: Refusal } {
  return { kind: 'refused', refusal };
}

function firstStat({ zxid, time, sessionId }: Commit, mode: CreateMode): RegistryNode['stat'] {
  const ephemeralOwner = mode.startsWith('EPHEMERAL') ? sessionId : undefined;
  return { czxid: zxid, mzxid: zxid, ctime: time, mtime: time, version: 0, ephemeralOwner };
}
