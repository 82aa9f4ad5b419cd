import { childPath, NodeMap } from '../node-map.js';
import type { Namespace } from '../namespace.js';
import type { RegistryNode, RequestOptions, Subtree, SubtreeEvent, SubtreeListener } from '../registry-center.js';
import { SessionLostError } from '../registry.errors.js';
import { refusalError } from '../refusal-error.js';
import { type Answer, type NodeContent, type Protocol, refusalOf, type Request } from './protocol.js';
import { connectionBroke, isolated, type Session, type SessionView } from './session.js';

/** ZooKeeper's watch events. */
const CREATED = 1;
const DELETED = 2;
const DATA_CHANGED = 3;
const CHILDREN_CHANGED = 4;

/**
 * A view of a subtree that one-shot watches keep true.
 *
 * Each node of the view is watched, or is being read: a data watch for itself, a child watch for the names below it
 * (not for an ephemeral node, which has no children), an existence watch where the root is missing. An event starts the
 * read that arms the watch again.
 *
 * It rests on one guarantee of ZooKeeper: over one connection, replies and watch events arrive in the order of the
 * server. So an event that arrives before the reply of a read that is under way is already in that reply, and an event
 * "deleted" speaks of the node that the view holds. Replies are therefore taken in while the socket is read, never in a
 * later turn. Nothing crosses connections: after a reconnect every node is read again.
 */
export class SubtreeView implements Subtree, SessionView {
  private readonly nodes = new NodeMap();
  private readonly sessionId: string | undefined;
  /** The reads under way whose reply has not come, by path. */
  private readonly readingNode = new Map<string, Promise<void>>();
  private readonly readingChildren = new Map<string, Promise<void>>();
  /** Reads under way with all that follows from them. */
  private readonly work = new Set<Promise<void>>();
  /** A read has failed, so the view is to be read anew. */
  private isStale = false;
  private isOpen = false;
  private isLost = false;

  constructor(
    private readonly session: Session,
    private readonly protocol: Protocol,
    private readonly namespace: Namespace,
    private readonly path: string,
    private readonly listener: SubtreeListener,
  ) {
    this.sessionId = session.info.id;
  }

  /** Reads everything for the first time; events are told from then on. */
  async open(options?: RequestOptions): Promise<void> {
    const name = this.named('open subtree');
    options?.signal?.throwIfAborted();
    this.session.usable(name);
    this.session.views.add(this);
    try {
      await this.session.bounded(name, this.track(this.readNode(this.path)), options);
      this.assertLive();
      this.isOpen = true;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  async sync(options?: RequestOptions): Promise<void> {
    options?.signal?.throwIfAborted();
    this.assertLive();
    const name = this.named('sync');
    // A write, be it one that changes nothing, passes through the leader: its reply comes after all that precedes it.
    const barrier = this.protocol.multi([{ kind: 'check', path: this.namespace.root }]);
    const synced = async () => {
      await this.session.request(name, barrier, options);
      this.assertLive();
      if (this.isStale) void this.track(this.readAgain());
      await this.settled();
      this.assertLive();
    };
    await this.session.bounded(name, synced(), options);
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
    this.session.views.delete(this);
    this.isOpen = false;
  }

  lose(): void {
    this.isLost = true;
    this.nodes.clear();
  }

  reconnected(): void {
    const repaired = this.track(this.readAgain());
    void repaired.then(
      () => this.tell({ kind: 'reset' }),
      () => {},
    );
  }

  watched(eventType: number, absolutePath: string): void {
    const path = this.namespace.relative(absolutePath);
    // What the view does not hold is found by its parent's names, in a read that is under way or yet to come.
    if (path === undefined || (path !== this.path && !this.nodes.get(path))) return;
    switch (eventType) {
      case CREATED:
      case DATA_CHANGED:
        return void this.track(this.readNode(path));
      case CHILDREN_CHANGED:
        return void this.track(this.readChildren(path));
      case DELETED:
        this.remove(path);
        if (path === this.path) void this.track(this.readNode(path));
        return;
      default:
    }
  }

  private async readAgain(): Promise<void> {
    this.isStale = false;
    const reads = [this.readNode(this.path)];
    for (const { path, stat } of this.nodes.subtree(this.path)) {
      reads.push(this.readNode(path));
      if (stat.ephemeralOwner === undefined) reads.push(this.readChildren(path));
    }
    await Promise.all(reads);
  }

  private readNode(path: string): Promise<void> {
    const request = this.protocol.node(this.namespace.absolute(path), true);
    return this.read(this.readingNode, path, request, (content) => this.takeNode(path, content));
  }

  private readChildren(path: string): Promise<void> {
    const request = this.protocol.children(this.namespace.absolute(path), true);
    return this.read(this.readingChildren, path, request, (names) => this.takeChildren(path, names));
  }

  /** Where the root is missing: arms a watch for its creation. */
  private awaitRoot(): Promise<void> {
    const request = this.protocol.exists(this.namespace.absolute(this.path), true);
    return this.read(new Map(), this.path, request, (stat) => (stat ? this.readNode(this.path) : undefined));
  }

  /** One read at a time for each path and kind. Resolves when all that follows from the reply is read as well. */
  private read<T>(
    reading: Map<string, Promise<void>>,
    path: string,
    request: Request<T>,
    take: (found: T | undefined) => Promise<void> | undefined,
  ): Promise<void> {
    const underWay = reading.get(path);
    if (underWay) return underWay;
    const read = new Promise<void>((resolve) => {
      this.session.send(request, (answer) => {
        reading.delete(path);
        resolve(this.receive(answer, path, take));
      });
    });
    reading.set(path, read);
    return read;
  }

  /** Takes the reply in and sends the reads that follow from it, all before the next one is looked at. */
  private async receive<T>(
    answer: Answer<T>,
    path: string,
    take: (found: T | undefined) => Promise<void> | undefined,
  ): Promise<void> {
    const value = found(answer, path);
    if (!this.isLost) await take(value);
  }

  private takeNode(path: string, content: NodeContent | undefined): Promise<void> | undefined {
    if (!content) {
      this.remove(path);
      return path === this.path ? this.awaitRoot() : undefined;
    }
    const held = this.nodes.get(path);
    const isSame = held?.stat.czxid === content.stat.czxid;
    if (held && isSame && held.stat.mzxid >= content.stat.mzxid) return undefined;
    if (!isSame) this.remove(path);
    this.nodes.put({ path, ...content });
    this.tell({ kind: isSame ? 'changed' : 'created', path });
    return isSame || content.stat.ephemeralOwner !== undefined ? undefined : this.readChildren(path);
  }

  private takeChildren(path: string, names: readonly string[] | undefined): Promise<void> | undefined {
    // A node that was deleted meanwhile; if there is a new one, reading it reads its children.
    if (!names || !this.nodes.get(path)) return undefined;
    const present = new Set(names);
    const known = new Set(this.nodes.children(path));
    for (const name of known) if (!present.has(name)) this.remove(childPath(path, name));
    const reads = names.filter((name) => !known.has(name)).map((name) => this.readNode(childPath(path, name)));
    return Promise.all(reads).then(() => undefined);
  }

  private remove(path: string): void {
    for (const node of this.nodes.subtree(path).toReversed()) {
      this.nodes.remove(node.path);
      this.tell({ kind: 'deleted', path: node.path });
    }
  }

  private tell(event: SubtreeEvent): void {
    if (this.isOpen && !this.isLost) isolated(() => this.listener(event));
  }

  private track(work: Promise<void>): Promise<void> {
    this.work.add(work);
    void this.untrack(work);
    return work;
  }

  private async untrack(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch {
      this.isStale = true;
    }
    this.work.delete(work);
  }

  /** Resolves when all reads that are under way now are done, and all that follows from them. */
  private async settled(): Promise<void> {
    await Promise.all(this.work);
  }

  private assertLive(): void {
    if (this.isLost) throw new SessionLostError(this.sessionId);
  }

  private named(operation: string): string {
    return `${operation} ${this.path}`;
  }
}

/** What was read, or undefined if there is no such node. @throws for any other answer */
function found<T>(answer: Answer<T>, path: string): T | undefined {
  if (answer.kind === 'ok') return answer.value;
  if (answer.kind === 'dropped') throw connectionBroke(`read ${path}`);
  const refusal = refusalOf(answer.code);
  if (refusal === 'NO_NODE') return undefined;
  throw refusal ? refusalError(refusal, path) : connectionBroke(`read ${path}`);
}
