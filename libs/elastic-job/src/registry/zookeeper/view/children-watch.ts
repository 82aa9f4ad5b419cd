import { parentPath } from '../../node-map.js';
import type { ChildrenWatch, RequestOptions } from '../../registry-center.js';
import { SessionLostError } from '../../registry.errors.js';
import type { NodeEventKind, Watcher } from '../session/index.js';
import { errorOf, isolated } from '../wire/index.js';
import type { ZooKeeperClient } from '../zookeeper-client.js';
import { TIME_NODE } from './subtree-view.js';

/**
 * Hears changes of one node's children, by a non-recursive watch; a deep one hears all nodes below, by a recursive
 * watch. If another one of this client watches the same path recursively, the server reports the children themselves.
 */
export class ZooKeeperChildrenWatch implements ChildrenWatch, Watcher {
  private isClosed = false;
  private opened: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined;

  constructor(
    private readonly client: ZooKeeperClient,
    private readonly path: string,
    private readonly onChange: (changed: string | undefined) => void,
    /** True if it hears all nodes below. */
    readonly isRecursive = false,
  ) {}

  /** Sets the watch. `onChange` is called for every change after this resolves. */
  async open(options?: RequestOptions): Promise<void> {
    const { client, path } = this;
    const name = `watch children of ${path}`;
    options?.signal?.throwIfAborted();
    client.session.usable(name);
    const opened = new Promise<void>((resolve, reject) => (this.opened = { resolve, reject }));
    client.watch(path, this, (reply) => {
      if (reply.kind === 'ok') this.opened?.resolve();
      else this.opened?.reject(errorOf(name, path, reply.code));
    });
    try {
      await client.requests.limit(name, options)(opened);
    } catch (error) {
      this.close();
      throw error;
    } finally {
      this.opened = undefined;
    }
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.client.unwatch(this.path, this);
  }

  receive(kind: NodeEventKind, absolutePath: string): void {
    this.react(kind, this.client.relative(absolutePath));
  }

  receiveOwn(kind: NodeEventKind, path: string): void {
    this.react(kind, path);
  }

  /** On a new connection the watch is set, even if the request for it was lost. */
  reconnected(): void {
    if (this.opened === undefined) this.notify();
    this.opened?.resolve();
  }

  lost(): void {
    this.opened?.reject(new SessionLostError(this.client.session.info.id));
    this.isClosed = true;
  }

  // Children have events, also those that this client writes.
  wrote(): void {}

  private react(kind: NodeEventKind, path: string): void {
    if (path !== TIME_NODE && this.hears(kind, path)) this.notify(path);
  }

  private hears(kind: NodeEventKind, path: string): boolean {
    if (this.isRecursive) return true;
    if (path === this.path) return kind !== 'changed';
    return parentPath(path) === this.path && kind !== 'changed' && kind !== 'children';
  }

  private notify(changed?: string): void {
    if (!this.isClosed && this.opened === undefined) isolated(() => this.onChange(changed));
  }
}
