import type { SyncOfViews } from '../ensemble.js';
import { KnownSubtree } from '../known-subtree.js';
import type { RegistryNode, SessionInfo, Subtree, SubtreeListener, SubtreeOptions } from '../registry-center.js';
import type { RequestOptions, SyncOptions } from '../request-options.js';
import type { NodeChange } from './node-tree.js';

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
