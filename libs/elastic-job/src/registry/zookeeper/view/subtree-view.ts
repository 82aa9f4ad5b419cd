import { interned } from '../../../domain/index.js';
import type { SyncOfViews } from '../../ensemble.js';
import { KnownSubtree } from '../../known-subtree.js';
import { childPath } from '../../node-map.js';
import type {
  RegistryNode,
  RequestOptions,
  Subtree,
  SubtreeEvent,
  SubtreeListener,
  SubtreeOptions,
  SyncOptions,
} from '../../registry-center.js';
import type { NodeEventKind, OwnEventKind, Watcher } from '../session/index.js';
import { errorOf, type NodeFound, refusalOf, type Reply, valueOf } from '../wire/index.js';
import type { ZooKeeperClient } from '../zookeeper-client.js';
import { Outbox } from './outbox.js';
import { type Reading, SubtreeReads } from './subtree-reads.js';

/**
 * Node that is created and deleted within one transaction to reveal the server's time. No read shows it, but watches
 * tell of it.
 */
export const TIME_NODE = '/nestjs-elastic-job.time';

/** The client of a view, as far as the view needs it. */
type ViewingClient = Pick<ZooKeeperClient, 'readParts' | 'relative' | 'requests' | 'session' | 'unwatch' | 'watch'>;

/**
 * A view of a subtree that one recursive watch keeps current.
 *
 * It rests on one guarantee of ZooKeeper: over one connection, replies and events arrive in the order of the server.
 *
 * - An event that arrives before the reply of a read is part of that reply. So a part that is being read, or is queued,
 *   need not be read again.
 * - The events of a write arrive right before its reply. So after an own write its content is current, and its events
 *   are emitted with the reply, without a read.
 * - Events tell of every node created after the watch was set, so names are listed only for nodes that existed before.
 *
 * Replies are therefore received while the socket is read, never in a later turn. Events do not cross connections:
 * after a reconnect the names of all nodes are listed again, and the held values are read again.
 */
export class SubtreeView extends KnownSubtree implements Subtree, Watcher {
  private readonly outbox: Outbox;
  private readonly reads: SubtreeReads;
  readonly isRecursive = true;
  private isOpen = false;
  /** Number of the connection, so that only the last repair emits `reset`. */
  private repairs = 0;

  constructor(
    private readonly client: ViewingClient,
    path: string,
    listener: SubtreeListener,
    private readonly syncOfViews: SyncOfViews,
    options?: SubtreeOptions,
  ) {
    super(path, client.session.info.id, options);
    this.outbox = new Outbox(listener);
    this.reads = new SubtreeReads(client, (reading, reply) => this.take(reading, reply));
  }

  /** Reads everything for the first time. Events are emitted from then on. */
  async open(options?: RequestOptions): Promise<void> {
    const name = `open subtree ${this.path}`;
    options?.signal?.throwIfAborted();
    this.client.session.usable(name);
    this.client.watch(this.path, this, (reply) => {
      if (reply.kind === 'refused') this.reads.end(() => void valueOf(name, this.path, reply));
    });
    try {
      const opened = this.readAgain().then(() => this.reads.allRead());
      await this.client.requests.limit(name, options)(opened);
      this.assertLive();
      this.isOpen = true;
      this.reportUnread();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  async sync(options?: SyncOptions): Promise<void> {
    options?.signal?.throwIfAborted();
    this.assertLive();
    const name = `sync ${this.path}`;
    this.client.session.usable(name);
    const limit = this.client.requests.limit(name, options);
    await this.syncOfViews(name, options);
    this.assertLive();
    if (this.reads.isStale) void this.readAgain().catch(() => {});
    if (this.reads.isIdle) return;
    await limit(this.reads.allRead());
    this.assertLive();
  }

  async load(paths: readonly string[], options?: RequestOptions): Promise<void> {
    options?.signal?.throwIfAborted();
    this.assertLive();
    const unknown = paths.filter((path) => this.has(path) && (!this.node(path) || this.reads.isUnderWay('data', path)));
    if (unknown.length === 0) return;
    const name = `load ${unknown.length} nodes of ${this.path}`;
    this.client.session.usable(name);
    const loaded = Promise.all(unknown.map((path) => this.reads.read('data', path).done));
    this.reads.send('foreground');
    await this.client.requests.limit(name, options)(loaded);
    this.assertLive();
  }

  close(): void {
    this.client.unwatch(this.path, this);
    this.isOpen = false;
    this.outbox.close();
    this.reads.end();
  }

  receive(kind: NodeEventKind, absolutePath: string): void {
    const path = this.client.relative(absolutePath);
    this.apply(kind, kind === 'created' ? interned(path) : path);
  }

  receiveOwn(kind: OwnEventKind, path: string, node: RegistryNode | undefined): void {
    if (node === undefined) return this.apply(kind, path);
    if (path === TIME_NODE) return;
    if (kind === 'changed') {
      if (this.entries.replace(path, node) && !this.outbox.arrived(path)) this.emit({ kind, path });
      return;
    }
    if (this.entries.get(path)) this.remove(path);
    if (this.takeIn(path, node)) this.emit({ kind: 'created', path });
  }

  wrote(node: RegistryNode): void {
    if (this.entries.replace(node.path, node)) this.outbox.arrived(node.path);
  }

  reconnected(): void {
    for (const path of this.entries.paths()) if (!this.holds(path)) this.entries.put(path, undefined);
    const repair = (this.repairs += 1);
    void this.readAgain().then(
      () => this.repairs === repair && this.emit({ kind: 'reset' }),
      () => {},
    );
  }

  lost(): void {
    this.lose();
    this.outbox.close();
    this.reads.end(() => this.assertLive());
  }

  private apply(kind: NodeEventKind, path: string): void {
    if (path === TIME_NODE) return;
    switch (kind) {
      case 'created':
        return this.applyCreated(path);
      case 'changed':
        return this.applyChanged(path);
      case 'deleted':
        return this.remove(path);
      case 'children':
        return; // Each of them has an event of its own.
      default:
        return kind satisfies never;
    }
  }

  private applyCreated(path: string): void {
    // A node known already was deleted and created again while there was no connection.
    if (this.entries.get(path)) this.remove(path);
    // Below a parent that is not known yet the node is ignored: the list of the parent's children will contain it.
    const isHeld = this.holds(path);
    if (this.appear(path, isHeld) && isHeld) this.reads.read('data', path);
  }

  private applyChanged(path: string): void {
    if (!this.holds(path)) {
      if (this.entries.replace(path, undefined)) this.emit({ kind: 'changed', path });
    } else if (this.entries.has(path)) {
      if (this.isOpen) this.outbox.putWaiting({ kind: 'changed', path });
      this.reads.read('data', path);
    }
  }

  /** A node that came during the last of the first reads is reported once its value is there. */
  private reportUnread(): void {
    for (const path of this.reads.underWayOf('data')) {
      if (this.entries.has(path) && !this.entries.get(path)) this.outbox.putWaiting({ kind: 'created', path });
    }
  }

  private readAgain(): Promise<unknown> {
    this.reads.isStale = false;
    this.reads.resend();
    const known = [...this.entries.paths()].filter((path) => path !== this.path);
    return Promise.all([
      this.readAll(this.path),
      ...known.map((path) => this.readAll(path, this.entries.get(path)?.stat.ephemeralOwner !== undefined)),
    ]);
  }

  /** Reads the value, if the view holds it, and the names of the children, if the node can have any. */
  private async readAll(path: string, isEphemeral = false): Promise<void> {
    const value = this.holds(path) ? this.reads.read('data', path).done : undefined;
    const names = isEphemeral || this.bounds?.isLeaf(path) ? undefined : this.reads.read('children', path).done;
    await value;
    await names;
  }

  /**
   * Applies a reply, before the next one is looked at.
   * @returns the reads that follow from it
   * @throws for a refusal
   */
  private take({ path }: Reading, reply: Reply<NodeFound>): Promise<unknown> | undefined {
    const found = valueOf(`read ${path}`, path, reply);
    if (found.kind === 'refused') {
      if (refusalOf(found.code) !== 'NO_NODE') throw errorOf(`read ${path}`, path, found.code);
      this.remove(path);
      return undefined;
    }
    if (!this.entries.has(path)) {
      // Deleted meanwhile. Only the root can be new to the view here.
      if (path !== this.path) return undefined;
      this.appear(path);
    }
    return found.kind === 'data'
      ? this.takeNode(this.cut({ path, data: found.data, stat: found.stat }))
      : this.takeNames(path, found.names);
  }

  private takeNode(node: RegistryNode): Promise<unknown> | undefined {
    const { path } = node;
    const before = this.entries.get(path);
    const isReplaced = before !== undefined && before.stat.czxid !== node.stat.czxid;
    if (isReplaced) {
      this.remove(path);
      this.appear(path);
    }
    this.entries.put(path, node);
    const isDelivered = this.outbox.arrived(path);
    if (!isDelivered && before && !isReplaced && before.stat.mzxid !== node.stat.mzxid)
      this.emit({ kind: 'changed', path });
    return isReplaced && node.stat.ephemeralOwner === undefined ? this.reads.read('children', path).done : undefined;
  }

  private takeNames(path: string, names: readonly string[]): Promise<unknown> {
    const present = new Set(names);
    const known = new Set(this.entries.children(path));
    for (const name of known) if (!present.has(name)) this.remove(childPath(path, name));
    const found = names.filter((name) => !known.has(name)).map((name) => interned(childPath(path, name)));
    const taken = found.filter((child) => this.appear(child));
    return Promise.all(taken.map((child) => this.readAll(child)));
  }

  /** @returns false if the view does not take in the node */
  private appear(path: string, isHeld = this.holds(path)): boolean {
    if (!this.takeIn(path, undefined)) return false;
    if (!this.isOpen) return true;
    if (isHeld) this.outbox.putWaiting({ kind: 'created', path });
    else this.outbox.put({ kind: 'created', path });
    return true;
  }

  private remove(path: string): void {
    for (const gone of this.entries.subtree(path).toReversed()) {
      this.entries.remove(gone);
      // An event that was not emitted yet is dropped together with the node.
      if (this.outbox.withdraw(gone) !== 'created') this.emit({ kind: 'deleted', path: gone });
    }
  }

  private emit(event: SubtreeEvent): void {
    if (this.isOpen) this.outbox.put(event);
  }
}
