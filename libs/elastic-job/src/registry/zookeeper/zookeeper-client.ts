import type { Clock } from '../../clock/index.js';
import type { NodeOwners } from '../registry-center.js';
import { AclJudge, nodeOwners } from './acl-judge.js';
import {
  askLink,
  linksOfThisThread,
  openNamespace,
  Session,
  SessionRequests,
  SharedReads,
  warnOfPlainText,
  warnOfStandstill,
  type Watcher,
} from './session/index.js';
import {
  FrameWriter,
  isolated,
  type Link,
  loadJute,
  type NodeFound,
  type NodeRead,
  Protocol,
  type Reply,
} from './wire/index.js';
import { linksOfWorker } from './worker/worker-links.js';
import type { ResolvedZooKeeperOptions } from './zookeeper-options.js';

/**
 * The sessions of one client of a ZooKeeper ensemble, one after the other, and what their views need: watches, and
 * reads in line with them. Paths are below the namespace, and were checked before.
 */
export class ZooKeeperClient {
  readonly session: Session;
  readonly requests: SessionRequests;
  /** Listeners for conditions that could eventually cost the session. */
  readonly warned = new Set<(message: string) => void>();
  /** Undefined without credentials. */
  readonly owners: NodeOwners | undefined;
  readonly protocol: Protocol;
  private readonly sharedReads: SharedReads;

  constructor(
    private readonly options: ResolvedZooKeeperOptions,
    clock: Clock,
  ) {
    const jute = loadJute();
    this.protocol = new Protocol(jute, options.ownsNodes);
    const { links, lease } =
      options.connection === 'worker-thread'
        ? linksOfWorker(this.protocol, options, clock)
        : linksOfThisThread(this.protocol, new FrameWriter(jute), options, clock);
    const warn = (message: string) => {
      for (const listener of this.warned) isolated(() => listener(message));
    };
    const judge = options.ownsNodes ? new AclJudge(this.protocol, options, warn) : undefined;
    const prepare = async (link: Link) => {
      await openNamespace(link, this.protocol, options.namespace, options.serverList);
      // Later changes of the ACL are found when a job is joined.
      if (this.session.info.state !== undefined) return;
      await judge?.assertOwn(options.namespace.root, (operation, request) => askLink(link, operation, request));
    };
    this.session = new Session(links, this.protocol, options, clock, lease, prepare, warn);
    this.requests = new SessionRequests(this.session, lease, options, clock);
    this.owners = judge && nodeOwners(judge, this.requests, options.namespace);
    this.sharedReads = new SharedReads((reads, counted, receive) =>
      this.session.send(this.protocol.multiRead(reads), receive, counted),
    );
    warnOfStandstill(this.session, options, clock, warn);
    warnOfPlainText(this.session, options, warn);
  }

  /** Watches a path as the watcher asks, until `unwatch` or the end of the session. The path need not exist. */
  watch(path: string, watcher: Watcher, receive: (reply: Reply<void>) => void = () => {}): void {
    const absolutePath = this.absolute(path);
    const { watches } = this.session;
    watches.add(absolutePath, watcher);
    this.session.send(this.protocol.addWatch(absolutePath, watches.isRecursive(absolutePath)), (answer) => {
      // A connection that is gone has no watches, and the next one gets all of them.
      if (answer.kind !== 'dropped') receive(answer);
    });
  }

  unwatch(path: string, watcher: Watcher): void {
    const absolutePath = this.absolute(path);
    if (!this.session.watches.remove(absolutePath, watcher)) return;
    this.session.send(this.protocol.removeWatches(absolutePath), () => {});
  }

  /**
   * Reads parts of nodes in line with the watches. `receive` is called for each part, in order, without a reply if the
   * connection broke first. Parts that several views want in one turn share requests.
   */
  readParts<R extends NodeRead>(
    reads: readonly R[],
    counted: 'foreground' | 'background',
    receive: (read: R, reply: Reply<NodeFound> | undefined) => void,
  ): void {
    const parts = reads.map((read) => ({
      read: { what: read.what, path: this.absolute(read.path) },
      receive: (reply: Reply<NodeFound> | undefined) => receive(read, reply),
    }));
    this.sharedReads.add(parts, counted);
  }

  /** Returns the server's path. */
  absolute(path: string): string {
    return this.options.namespace.absoluteOf(path);
  }

  /** Returns the path below the namespace for a path of the server. */
  relative(absolutePath: string): string {
    return this.options.namespace.relative(absolutePath) ?? absolutePath;
  }
}
