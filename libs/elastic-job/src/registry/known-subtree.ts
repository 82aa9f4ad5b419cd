import { interned } from '../domain/index.js';
import { NodeMap, parentPath } from './node-map.js';
import type { RegistryNode, SubtreeBounds, SubtreeOptions } from './registry-center.js';
import { SessionLostError } from './registry.errors.js';

/**
 * The nodes that a view knows of, within its bounds, and their reads. After the end of its session every read throws.
 */
export abstract class KnownSubtree {
  /** The nodes that exist; with their contents, as far as these are known and current. */
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

  /** True if one node more is taken in: the root, or a child of a known node that the bounds admit. */
  protected admits(path: string): boolean {
    if (path === this.path) return true;
    const parent = parentPath(path)!;
    if (!this.entries.has(parent)) return false;
    if (this.bounds === undefined) return true;
    if (this.entries.childCount(parent) < this.bounds.mostChildren) return this.bounds.admits(path);
    this.bounds.onLeftOut(parent, 'children');
    return false;
  }

  /** The node as the bounds keep it. */
  protected cut(node: RegistryNode): RegistryNode {
    const longest = this.bounds?.longest(node.path) ?? Infinity;
    // Values are often the same in many jobs, or twice in one.
    if (this.holds(node.path)) interned(node.data);
    if (node.data.length <= longest) return node;
    this.bounds?.onLeftOut(node.path, 'value');
    // A copy: a slice of a text keeps all of it in memory.
    return { ...node, data: Buffer.from(node.data.slice(0, longest + 1)).toString() };
  }

  /** Forgets everything: the session is over. */
  lose(): void {
    this.isLost = true;
    this.entries.clear();
  }

  protected assertLive(): void {
    if (this.isLost) throw new SessionLostError(this.sessionId);
  }
}
