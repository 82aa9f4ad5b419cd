import type { SyncOfViews } from '../ensemble.js';
import { KnownSubtree } from '../known-subtree.js';
import type { Namespace } from '../namespace.js';
import { parentPath } from '../node-map.js';
import type {
  RegistryNode,
  RequestOptions,
  SessionInfo,
  Subtree,
  SubtreeListener,
  SubtreeOptions,
  SyncOptions,
} from '../registry-center.js';
import type { NodeChange } from './node-tree.js';

/**
 * The changes of one commit. Peers of one namespace share the same list, so no peer pays for paths of other namespaces.
 */
export class News {
  private readonly byRoot = new Map<string, readonly NodeChange[]>();

  constructor(private readonly changes: readonly NodeChange[]) {}

  /** Changes within a namespace, with the port's paths. */
  within(namespace: Namespace): readonly NodeChange[] {
    const known = this.byRoot.get(namespace.root);
    if (known !== undefined) return known;
    const local = this.changes.flatMap(({ kind, node }) => {
      const own = localNode(node, namespace);
      return own === undefined ? [] : { kind, node: own };
    });
    this.byRoot.set(namespace.root, local);
    return local;
  }
}

/** The nodes inside the namespace, with the port's paths. */
export function localNodes(nodes: readonly RegistryNode[], namespace: Namespace): readonly RegistryNode[] {
  return nodes.flatMap((node) => localNode(node, namespace) ?? []);
}

/** The node with the port's path; undefined outside the namespace. */
function localNode(node: RegistryNode, namespace: Namespace): RegistryNode | undefined {
  const path = namespace.relative(node.path);
  return path === undefined ? undefined : { ...node, path };
}

/** The client of a view, as far as the view needs it. */
export interface ViewingClient {
  readonly session: SessionInfo;
  /** @param take receives the nodes in the order of the link */
  readNodes(
    operation: string,
    paths: readonly string[],
    options: RequestOptions | undefined,
    take: (nodes: readonly (RegistryNode | undefined)[]) => void,
  ): Promise<unknown>;
  /** Stops sending news to the view. */
  release(view: MemorySubtree): void;
}

/** A client's knowledge of a subtree, in the order of the server. */
export class MemorySubtree extends KnownSubtree implements Subtree {
  private closed = false;

  constructor(
    private readonly client: ViewingClient,
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
    this.closed = true;
    this.client.release(this);
  }

  /** Replaces everything that was heard so far. */
  replace(nodes: readonly RegistryNode[]): void {
    this.entries.clear();
    for (const node of nodes) this.put(node, this.holds(node.path));
  }

  /**
   * Applies all changes of a commit at and below its path, then tells the listener of them one by one.
   * @param isOwn true if this client made them and therefore knows their values
   */
  hear(changes: readonly NodeChange[], isOwn: boolean): void {
    const seen = changes.filter((change) => this.take(change, isOwn));
    for (const { kind, node } of seen) {
      if (!this.closed) this.listener({ kind, path: node.path });
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

/** The open views of one client, by their roots, so that news of one job cost the views of other jobs nothing. */
export class OpenViews {
  private readonly byRoot = new Map<string, Set<MemorySubtree>>();

  constructor(private readonly namespace: Namespace) {}

  /** All views, in the order of their roots. */
  get all(): readonly MemorySubtree[] {
    return [...this.byRoot.values()].flatMap((views) => [...views]);
  }

  add(view: MemorySubtree): void {
    const views = this.byRoot.get(view.path);
    if (views) views.add(view);
    else this.byRoot.set(view.path, new Set([view]));
  }

  delete(view: MemorySubtree): void {
    const views = this.byRoot.get(view.path);
    if (views?.delete(view) && views.size === 0) this.byRoot.delete(view.path);
  }

  hear(news: News, isOwn: boolean): void {
    const heard = new Map<ReadonlySet<MemorySubtree>, NodeChange[]>();
    for (const change of news.within(this.namespace)) {
      for (const views of this.above(change.node.path)) {
        const changes = heard.get(views);
        if (changes) changes.push(change);
        else heard.set(views, [change]);
      }
    }
    for (const [views, changes] of heard) for (const view of views) view.hear(changes, isOwn);
  }

  /** Ends all views because the session is over. */
  lose(): void {
    for (const view of this.all) view.lose();
    this.byRoot.clear();
  }

  /** Views that show a path, grouped by their roots. */
  private *above(path: string): Generator<ReadonlySet<MemorySubtree>, void> {
    if (this.byRoot.size === 0) return;
    for (let root: string | undefined = path; root !== undefined; root = parentPath(root)) {
      const views = this.byRoot.get(root);
      if (views) yield views;
    }
  }
}
