import { interned } from '../domain/index.js';
import type { SyncOfViews } from './ensemble.js';
import { NodeMap, parentPath } from './node-map.js';
import type {
  RegistryNode,
  RequestOptions,
  SessionInfo,
  Subtree,
  SubtreeBounds,
  SubtreeListener,
  SubtreeOptions,
  SyncOptions,
} from './registry-center.js';
import { SessionLostError } from './registry.errors.js';

/**
 * The nodes that a view knows within its bounds, and the reads on them. Every read throws once the session has ended.
 */
export abstract class KnownSubtree {
  /** Existing nodes by path; the value is undefined while the content is unknown or outdated. */
  protected readonly entries = new NodeMap<RegistryNode | undefined>();
  protected readonly holds: (path: string) => boolean;
  protected readonly bounds: SubtreeBounds | undefined;
  private isLost = false;

  constructor(
    readonly path: string,
    private readonly sessionId: string | undefined,
    { holds = () => true, bounds }: SubtreeOptions = {},
  ) {
    this.holds = holds;
    this.bounds = bounds;
  }

  has(path: string): boolean {
    this.assertLive();
    return this.entries.has(path);
  }

  node(path: string): RegistryNode | undefined {
    this.assertLive();
    return this.entries.get(path);
  }

  children(path: string): readonly string[] {
    this.assertLive();
    return this.entries.children(path);
  }

  /**
   * Sets the value of a node that may be new to the view. It takes in the root, and children of known nodes that the
   * bounds admit.
   * @param path as it may be kept, see `interned`
   * @returns false if it does not take in the node
   */
  protected takeIn(path: string, value: RegistryNode | undefined): boolean {
    const parent = path === this.path ? undefined : parentPath(path);
    if (path !== this.path && (parent === undefined || !this.admits(path, parent))) return false;
    if (!this.entries.replace(path, value)) this.entries.add(path, value, parent);
    return true;
  }

  private admits(path: string, parent: string): boolean {
    const siblings = this.entries.childCount(parent);
    if (siblings === undefined) return false;
    if (this.bounds === undefined) return true;
    if (siblings < this.bounds.mostChildren) return this.bounds.admits(path);
    this.bounds.onLeftOut(parent, 'children');
    return false;
  }

  /** The node with its value cut to the length that the bounds allow. */
  protected cut(node: RegistryNode): RegistryNode {
    const longest = this.bounds?.longest(node.path) ?? Infinity;
    // Interned because many jobs hold the same value, and one job often holds it twice.
    if (this.holds(node.path)) interned(node.data);
    if (node.data.length <= longest) return node;
    this.bounds?.onLeftOut(node.path, 'value');
    // A slice would keep the whole text in memory, so the value is copied.
    return { ...node, data: Buffer.from(node.data.slice(0, longest + 1)).toString() };
  }

  /** Forgets all nodes because the session is over. */
  lose(): void {
    this.isLost = true;
    this.entries.clear();
  }

  protected assertLive(): void {
    if (this.isLost) throw new SessionLostError(this.sessionId);
  }
}

/** Change of one node. For `deleted` it holds the node as it was. */
export interface NodeChange {
  readonly kind: 'created' | 'changed' | 'deleted';
  readonly node: RegistryNode;
}

/** The client of a `NotifiedSubtree`, which passes every change on to the view. */
export interface SubtreeClient {
  readonly session: SessionInfo;
  /** @param take receives the nodes, undefined for a missing one, in the order of the changes */
  readNodes(
    operation: string,
    paths: readonly string[],
    options: RequestOptions | undefined,
    take: (nodes: readonly (RegistryNode | undefined)[]) => void,
  ): Promise<unknown>;
  /** Passes no more changes on to the view. */
  release(view: NotifiedSubtree): void;
}

/** A view of a store that sends its clients every change, in the order of the store and with the node. */
export class NotifiedSubtree extends KnownSubtree implements Subtree {
  private isClosed = false;

  constructor(
    private readonly client: SubtreeClient,
    path: string,
    private readonly listener: SubtreeListener,
    private readonly syncOfViews: SyncOfViews,
    options?: SubtreeOptions,
  ) {
    super(path, client.session.id, options);
  }

  async sync(options?: SyncOptions): Promise<void> {
    this.assertLive();
    await this.syncOfViews(`sync ${this.path}`, options);
  }

  async load(paths: readonly string[], options?: RequestOptions): Promise<void> {
    options?.signal?.throwIfAborted();
    this.assertLive();
    const unknown = paths.filter((path) => this.has(path) && !this.node(path));
    if (unknown.length === 0) return;
    await this.client.readNodes(`load ${unknown.length} nodes of ${this.path}`, unknown, options, (nodes) => {
      for (const node of nodes) {
        if (node && this.entries.has(node.path)) this.put(node, true);
      }
    });
  }

  close(): void {
    this.isClosed = true;
    this.client.release(this);
  }

  /** Replaces all nodes that the view knows. @param nodes parents first; those elsewhere are left out */
  replace(nodes: readonly RegistryNode[]): void {
    this.entries.clear();
    for (const node of nodes) this.put(node, this.holds(node.path));
  }

  /**
   * Applies all changes of a commit at and below its path, then calls the listener for each of them.
   * @param isOwn true if this client made them and therefore knows their values
   */
  receive(changes: readonly NodeChange[], isOwn: boolean): void {
    const seen = changes.filter((change) => this.take(change, isOwn));
    for (const { kind, node } of seen) {
      if (!this.isClosed) this.listener({ kind, path: node.path });
    }
  }

  reset(): void {
    this.listener({ kind: 'reset' });
  }

  /** @returns false if the view does not know the node */
  private take({ kind, node }: NodeChange, isOwn: boolean): boolean {
    if (kind !== 'created' && !this.entries.has(node.path)) return false;
    if (kind !== 'deleted') return this.put(node, isOwn || this.holds(node.path));
    this.entries.remove(node.path);
    return true;
  }

  /** @returns false if the view does not take in the node */
  private put(node: RegistryNode, isKnown: boolean): boolean {
    const { path } = node;
    if (!this.entries.has(path) && !this.takeIn(path, undefined)) return false;
    return this.entries.replace(path, isKnown ? this.cut(node) : undefined);
  }
}
