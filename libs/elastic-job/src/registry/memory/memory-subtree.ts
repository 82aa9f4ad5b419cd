import { isWithin, NodeMap } from '../node-map.js';
import type { RegistryNode, RequestOptions, Subtree, SubtreeListener } from '../registry-center.js';
import { SessionLostError } from '../registry.errors.js';
import type { MemorySession } from './memory-session.js';
import type { NodeChange } from './node-tree.js';

/** What one client has heard of a subtree, in the order of the server. */
export class MemorySubtree implements Subtree {
  private readonly nodes = new NodeMap();
  private readonly sessionId: string | undefined;
  private lost = false;
  private closed = false;

  constructor(
    private readonly session: MemorySession,
    readonly path: string,
    private readonly listener: SubtreeListener,
  ) {
    this.sessionId = session.info.id;
  }

  async sync(options?: RequestOptions): Promise<void> {
    this.assertLive();
    // News and replies come over one link in order: all that was committed before this request is heard before its reply.
    await this.session.request(
      `sync ${this.path}`,
      () => {},
      () => {},
      options,
    );
  }

  node(path: string): RegistryNode | undefined {
    this.assertLive();
    return this.nodes.get(path);
  }

  children(path: string): readonly string[] {
    this.assertLive();
    return this.nodes.children(path);
  }

  close(): void {
    this.closed = true;
    this.session.release(this);
  }

  /** Takes the place of what was heard so far. */
  replace(nodes: readonly RegistryNode[]): void {
    this.nodes.clear();
    for (const node of nodes) this.nodes.put(node);
  }

  /** Shows all changes of a commit, then tells of them one by one. */
  hear(changes: readonly NodeChange[]): void {
    const own = changes.filter(({ node }) => isWithin(node.path, this.path));
    for (const { kind, node } of own) {
      if (kind === 'deleted') this.nodes.remove(node.path);
      else this.nodes.put(node);
    }
    for (const { kind, node } of own) {
      if (!this.closed) this.listener({ kind, path: node.path });
    }
  }

  reset(): void {
    this.listener({ kind: 'reset' });
  }

  /** The session is over. */
  lose(): void {
    this.lost = true;
    this.nodes.clear();
  }

  private assertLive(): void {
    if (this.lost) throw new SessionLostError(this.sessionId);
  }
}
