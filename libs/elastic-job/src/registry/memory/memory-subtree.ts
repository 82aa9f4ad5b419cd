import { isWithin, NodeMap } from '../node-map.js';
import type { RegistryNode, RequestOptions, Subtree, SubtreeListener } from '../registry-center.js';
import { SessionLostError } from '../registry.errors.js';
import type { MemorySession } from './memory-session.js';
import type { NodeChange } from './node-tree.js';

/** A node that exists; with its content, if that is known and current. */
interface Entry {
  readonly path: string;
  readonly node: RegistryNode | undefined;
}

/** What one client has heard of a subtree, in the order of the server. */
export class MemorySubtree implements Subtree {
  private readonly entries = new NodeMap<Entry>();
  private readonly sessionId: string | undefined;
  private lost = false;
  private closed = false;

  constructor(
    private readonly session: MemorySession,
    readonly path: string,
    private readonly listener: SubtreeListener,
    private readonly holds: (path: string) => boolean = () => true,
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

  has(path: string): boolean {
    this.assertLive();
    return this.entries.get(path) !== undefined;
  }

  node(path: string): RegistryNode | undefined {
    this.assertLive();
    return this.entries.get(path)?.node;
  }

  children(path: string): readonly string[] {
    this.assertLive();
    return this.entries.children(path);
  }

  async load(paths: readonly string[], options?: RequestOptions): Promise<void> {
    options?.signal?.throwIfAborted();
    this.assertLive();
    const unknown = paths.filter((path) => this.has(path) && !this.node(path));
    if (unknown.length === 0) return;
    await this.session.readNodes(`load ${unknown.length} nodes of ${this.path}`, unknown, options, (nodes) => {
      for (const node of nodes) if (node && this.entries.get(node.path)) this.entries.put({ path: node.path, node });
    });
  }

  close(): void {
    this.closed = true;
    this.session.release(this);
  }

  /** Takes the place of what was heard so far. */
  replace(nodes: readonly RegistryNode[]): void {
    this.entries.clear();
    for (const node of nodes) this.put(node, this.holds(node.path));
  }

  /** Shows all changes of a commit, then tells of them one by one. @param isOwn whether this client made them, so that it knows their values */
  hear(changes: readonly NodeChange[], isOwn: boolean): void {
    const within = changes.filter(({ node }) => isWithin(node.path, this.path));
    for (const { kind, node } of within) {
      if (kind === 'deleted') this.entries.remove(node.path);
      else this.put(node, isOwn || this.holds(node.path));
    }
    for (const { kind, node } of within) {
      if (!this.closed) this.listener({ kind, path: node.path });
    }
  }

  reset(): void {
    this.listener({ kind: 'reset' });
  }

  /** The session is over. */
  lose(): void {
    this.lost = true;
    this.entries.clear();
  }

  private put(node: RegistryNode, isKnown: boolean): void {
    this.entries.put({ path: node.path, node: isKnown ? node : undefined });
  }

  private assertLive(): void {
    if (this.lost) throw new SessionLostError(this.sessionId);
  }
}
