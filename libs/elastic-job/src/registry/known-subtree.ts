import { interned } from '../domain/index.js';
import { NodeMap, parentPath } from './node-map.js';
import type { RegistryNode, SubtreeBounds, SubtreeOptions } from './registry-center.js';
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
    const parent = path === this.path ? undefined : parentPath(path)!;
    if (parent !== undefined && !this.admits(path, parent)) return false;
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
