import type {
  RegistryNode,
  RequestOptions,
  SessionInfo,
  Subtree,
  SubtreeListener,
  SubtreeOptions,
  SyncOfViews,
  SyncOptions,
} from '../../../libs/elastic-job/src/registry/index.js';
import { KnownSubtree } from '../../../libs/elastic-job/src/registry/known-subtree.js';
import { childPath } from '../../../libs/elastic-job/src/registry/node-map.js';
import type { ToyChange } from './toy-store.js';

/** The client of a view. */
interface ViewingToy {
  readonly session: SessionInfo;
  /** @param take receives each node that exists, in the order of the store */
  readNodes(
    paths: readonly string[],
    options: RequestOptions | undefined,
    take: (node: RegistryNode) => void,
  ): Promise<unknown>;
  forget(view: ToyView): void;
}

/** A view that hears every commit at once. */
export class ToyView extends KnownSubtree implements Subtree {
  private isClosed = false;

  constructor(
    private readonly client: ViewingToy,
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
    await this.client.readNodes(unknown, options, (node) => void this.put(node, true));
  }

  close(): void {
    this.isClosed = true;
    this.client.forget(this);
  }

  hear(changes: readonly ToyChange[], isOwn: boolean): void {
    const seen = changes.filter(({ kind, node }) => {
      if (kind !== 'created' && !this.entries.has(node.path)) return false;
      if (kind !== 'deleted') return this.put(node, isOwn);
      this.entries.remove(node.path);
      return true;
    });
    for (const { kind, node } of seen) if (!this.isClosed) this.listener({ kind, path: node.path });
  }

  /** @returns false if the view does not take in the node */
  put(node: RegistryNode, isKnown = false): boolean {
    if (node.path !== this.path && !node.path.startsWith(childPath(this.path, ''))) return false;
    if (!this.entries.has(node.path) && !this.takeIn(node.path, undefined)) return false;
    return this.entries.replace(node.path, isKnown || this.holds(node.path) ? this.cut(node) : undefined);
  }
}
