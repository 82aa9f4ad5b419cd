import type { Clock, Timer } from '../../clock/index.js';
import type { Namespace } from '../namespace.js';
import type {
  CloseOptions,
  RegistryNode,
  RegistryTraffic,
  RequestOptions,
  SessionInfo,
  SessionState,
  SubtreeListener,
  SubtreeOptions,
} from '../registry-center.js';
import { RegistryUnavailableError, SessionLostError } from '../registry.errors.js';
import { leapMs, leaseLengthMs, type Moment, momentOf, SessionLease } from '../session-lease.js';
import { type LaneName, type Latency, MemoryLink, type NO_ANSWER } from './memory-link.js';
import type { MemoryServer, Peer } from './memory-server.js';
import { MemorySubtree, type ViewedSession } from './memory-subtree.js';
import { localNode, type News } from './news.js';
import { PendingRequests } from './pending-requests.js';

/** How a client's session behaves; times in milliseconds. */
interface MemorySessionOptions {
  readonly clock: Clock;
  readonly namespace: Namespace;
  readonly sessionTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly latencyMs: Latency;
  readonly newsLagMs?: Latency;
}

const LONGEST_CLOSE_MS = 2_000;
/**
 * A client gives up a connection on which nothing has come for this part of the session's timeout, as ZooKeeper's does.
 */
const READ_TIMEOUT_PART = 2 / 3;

/**
 * The client's end of its sessions, one after the other.
 *
 * ```
 * undefined -> CONNECTED -> SUSPENDED -> RECONNECTED (same session) -> SUSPENDED ...
 *                           SUSPENDED -> LOST -> RECONNECTED (new session)
 * ```
 * LOST comes from the server after a reconnect, or, while there is none, from the client's own timer, before the server
 * gives the ephemeral nodes away. A session that this client declared lost is never resumed. A process that was frozen
 * looks at its lease before anything else: SUSPENDED and LOST come before any answer, any news and any timer. A wall
 * clock that was set forward past the lease is noticed at the next request or question; then the server is asked anew.
 */
export class MemorySession implements Peer, ViewedSession {
  readonly link: MemoryLink;
  readonly traffic: RegistryTraffic = { foreground: 0, background: 0 };
  info: SessionInfo;
  private readonly listeners = new Set<(session: SessionInfo) => void>();
  private readonly subtrees = new Set<MemorySubtree>();
  private readonly requests: PendingRequests;
  private lossTimer?: Timer;
  private readTimer?: Timer;
  /** Runs while no server answers. */
  private readonly lease: SessionLease;
  /** Whether no server answers. While one does, requests are answered at once, or the link breaks. */
  private isSilent = false;
  /** When the clocks were compared last, while a server answered. */
  private compared: Moment;
  private isBrokenWhileFrozen = false;
  private connecting?: Promise<void>;
  private closing?: Promise<void>;

  constructor(
    private readonly server: MemoryServer,
    private readonly options: MemorySessionOptions,
  ) {
    this.link = new MemoryLink(server.clock, options.latencyMs, options.newsLagMs);
    this.requests = new PendingRequests(this.link, options.clock);
    this.lease = new SessionLease(options.clock);
    this.compared = momentOf(options.clock);
    this.info = { state: undefined, id: undefined, timeoutMs: options.sessionTimeoutMs };
  }

  /** Counts down while no server answers; while one does it is constant. */
  leaseRemainingMs(): number {
    if (this.info.state === undefined || this.info.state === 'LOST') return 0;
    if (this.isSilent) return this.lease.remainingMs();
    if (!this.hasLeapt()) return this.leaseMs;
    queueMicrotask(() => this.askAnew());
    return 0;
  }

  onChange(listener: (session: SessionInfo) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async connect(options?: RequestOptions): Promise<void> {
    options?.signal?.throwIfAborted();
    if (this.closing) throw new RegistryUnavailableError('connect', 'not-applied', 'this registry center is closed');
    if (this.info.state !== undefined) return;
    this.connecting ??= this.exchange(
      'connect',
      () => this.open(),
      (id) => this.become('CONNECTED', id),
      options,
    ).finally(() => (this.connecting = undefined));
    await this.connecting;
  }

  close({ timeoutMs = LONGEST_CLOSE_MS }: CloseOptions = {}): Promise<void> {
    this.closing ??= this.end(timeoutMs);
    return this.closing;
  }

  /**
   * Asks the server, if there is a connection: `ask` runs there, `receive` here with the answer, in the order of the
   * link.
   * @throws {RegistryUnavailableError} @throws {SessionLostError} between LOST and the next session
   */
  async request<A, T>(
    operation: string,
    ask: (sessionId: string) => A,
    receive: (answer: A) => T,
    options?: RequestOptions,
  ): Promise<T> {
    options?.signal?.throwIfAborted();
    if (this.hasLeapt()) this.askAnew();
    if (this.isAsking) await this.answered();
    const { state, id } = this.info;
    if (state === 'LOST') throw new SessionLostError(id);
    if (this.closing || id === undefined || !this.isConnected()) {
      const why = this.closing ? 'this registry center is closed' : 'there is no connection to the registry';
      throw new RegistryUnavailableError(operation, 'not-applied', why);
    }
    this.traffic.foreground += 1;
    return this.exchange(operation, () => this.server.serve(id, ask), receive, options);
  }

  openSubtree(path: string, listener: SubtreeListener, options?: SubtreeOptions): Promise<MemorySubtree> {
    const absolutePath = this.options.namespace.absolute(path);
    const receive = (nodes: readonly RegistryNode[]) => {
      const subtree = new MemorySubtree(this, path, listener, options);
      subtree.replace(this.localize(nodes));
      this.subtrees.add(subtree);
      return subtree;
    };
    return this.request(`open subtree ${path}`, () => this.server.subtree(absolutePath), receive, options);
  }

  release(subtree: MemorySubtree): void {
    this.subtrees.delete(subtree);
  }

  hear(news: News, isOwn: boolean): void {
    for (const subtree of this.subtrees) subtree.hear(news.within(this.options.namespace), isOwn);
  }

  disconnected(): void {
    this.isBrokenWhileFrozen = this.link.frozen;
    if (this.link.frozen) return;
    this.requests.fail('the connection broke before the answer came');
    if (this.closing || this.info.state === undefined) return;
    if (this.isConnected()) {
      this.fallSilent();
      this.awaitLoss();
      this.become('SUSPENDED');
    }
    this.reconnect();
  }

  /** The process stands still. What it has sent arrives; what is sent to it waits. */
  freeze(): void {
    this.link.freeze();
    this.fallSilent();
    this.server.unheard(this);
  }

  /** The process goes on. A connection that was silent for longer than the lease is given up unread. */
  thaw(): void {
    const isLate = this.lease.remainingMs() === 0;
    if (isLate) this.link.drop();
    this.link.thaw();
    if (isLate || this.isBrokenWhileFrozen) this.disconnected();
    if (this.info.state === 'SUSPENDED' && this.lease.untilLossMs() === 0) this.lose();
    // The server counts from before the pause until it hears this client, and so does the lease.
    if (this.isConnected() && !this.closing) {
      this.isSilent = true;
      this.awaitLoss();
    }
    this.link.send(() => {
      this.server.heard(this);
      this.endSilence();
    });
  }

  /** Nothing gets through in one direction: the client hears nothing any more, as its pings are not answered. */
  cut(lane: LaneName): void {
    this.link.hold(lane);
    if (lane === 'requests') this.server.unheard(this);
    if (!this.isConnected()) return;
    this.fallSilent();
    const waitMs = this.info.timeoutMs * READ_TIMEOUT_PART - this.lease.ageMs();
    this.readTimer ??= this.options.clock.setTimer(Math.max(0, waitMs), () => this.giveUp());
  }

  /** What has waited gets through, unless the client has given the connection up meanwhile. */
  uncut(lane: LaneName): void {
    const isGivenUp = this.link.broken;
    this.readTimer?.cancel();
    this.readTimer = undefined;
    this.link.mend();
    this.link.release(lane);
    if (isGivenUp) return this.disconnected();
    this.endSilence();
    this.server.heard(this);
  }

  /** A server answers again, unless one direction is cut, or this process stands still. */
  private endSilence(): void {
    if (!this.isConnected() || this.link.frozen || this.link.cut) return;
    this.isSilent = false;
    this.lossTimer?.cancel();
  }

  private giveUp(): void {
    this.link.break();
    this.server.unheard(this);
    this.disconnected();
  }

  private reconnect(): void {
    const { id } = this.info;
    if (id === undefined) return;
    if (this.info.state === 'LOST') return this.renew();
    const views = [...this.subtrees];
    this.converse(
      () =>
        this.server.resume(id) && views.map(({ path }) => this.server.subtree(this.options.namespace.absolute(path))),
      (contents) => {
        if (!contents) this.lose();
        if (!contents || this.info.state === 'LOST') return this.renew(); // It may have given up meanwhile.
        this.lossTimer?.cancel();
        for (const [index, view] of views.entries()) view.replace(this.localize(contents[index] ?? []));
        this.become('RECONNECTED');
        for (const view of views) view.reset();
      },
    );
  }

  private renew(): void {
    this.converse(
      () => this.open(),
      (id) => this.become('RECONNECTED', id),
    );
  }

  private lose(): void {
    this.lossTimer?.cancel();
    for (const subtree of this.subtrees) subtree.lose();
    this.subtrees.clear();
    this.become('LOST');
  }

  private async end(limitMs: number): Promise<void> {
    const bye = () => this.server.close(this);
    this.lossTimer?.cancel();
    this.readTimer?.cancel();
    if (this.isConnected()) {
      const timeoutMs = Math.min(limitMs, this.options.sessionTimeoutMs / 3);
      await this.exchange('close', bye, () => {}, { timeoutMs }).catch(() => {});
    } else {
      this.link.send(bye);
    }
    this.requests.fail('this registry center was closed');
    for (const subtree of this.subtrees) subtree.lose();
    this.subtrees.clear();
    this.info = { ...this.info, id: undefined };
    this.become(undefined);
  }

  /**
   * The nodes, in the order of the paths; undefined where there is none.
   * @param take is given them in the order of the link
   */
  readNodes(
    operation: string,
    paths: readonly string[],
    options?: RequestOptions,
    take: (nodes: readonly (RegistryNode | undefined)[]) => void = () => {},
  ): Promise<readonly (RegistryNode | undefined)[]> {
    const absolutePaths = paths.map((path) => this.options.namespace.absolute(path));
    const ask = () => absolutePaths.map((path) => this.server.node(path));
    const receive = (found: readonly (RegistryNode | undefined)[]) => {
      const nodes = found.map((node, index) => node && { ...node, path: paths[index]! });
      take(nodes);
      return nodes;
    };
    return this.request(operation, ask, receive, options);
  }

  private get leaseMs(): number {
    return leaseLengthMs(this.options.sessionTimeoutMs);
  }

  /** @param aheadMs what the wall clock was set forward by since a server has answered */
  private fallSilent(aheadMs = 0): void {
    if (this.isSilent) return;
    const { monotonicMs, wallMs } = momentOf(this.options.clock);
    this.isSilent = true;
    this.lease.grant(this.options.sessionTimeoutMs, { monotonicMs, wallMs: wallMs - aheadMs });
  }

  private awaitLoss(): void {
    this.lossTimer?.cancel();
    this.lossTimer = this.options.clock.setTimer(this.lease.untilLossMs(), () => {
      if (this.lease.untilLossMs() > 0) return this.awaitLoss();
      if (!this.isConnected()) return this.lose();
      this.link.drop();
      this.disconnected();
    });
  }

  /** While a server answers: whether the wall clock was set forward past the lease since the last look. */
  private hasLeapt(): boolean {
    if (this.isSilent || !this.isConnected()) return false;
    const { clock } = this.options;
    const isLeap = leapMs(this.compared, clock) >= this.leaseMs;
    if (!isLeap) this.compared = momentOf(clock);
    return isLeap;
  }

  /** The clock was set forward, and the server has not answered yet. */
  private get isAsking(): boolean {
    return this.info.state === 'SUSPENDED' && this.lease.remainingMs() === 0 && this.lease.untilLossMs() > 0;
  }

  private answered(): Promise<void> {
    this.awaitLoss();
    return new Promise((resolve) => {
      const release = this.onChange(() => {
        release();
        resolve();
      });
    });
  }

  /** Only a server knows whether the session has outlived the leap of the clock. */
  private askAnew(): void {
    if (this.closing || !this.hasLeapt()) return;
    this.fallSilent(leapMs(this.compared, this.options.clock));
    this.link.drop();
    this.disconnected();
  }

  private localize(nodes: readonly RegistryNode[]): readonly RegistryNode[] {
    return nodes.flatMap((node) => localNode(node, this.options.namespace) ?? []);
  }

  private open(): string {
    return this.server.open(this, this.options.sessionTimeoutMs, this.options.namespace.root);
  }

  private isConnected(): boolean {
    return this.info.state === 'CONNECTED' || this.info.state === 'RECONNECTED';
  }

  private become(state: SessionState | undefined, id = this.info.id): void {
    if (state === this.info.state) return;
    if (state !== 'SUSPENDED') {
      this.isSilent = false;
      this.compared = momentOf(this.options.clock);
    }
    this.info = { ...this.info, state, id };
    // A listener that is added by another one hears the next change, not this one.
    for (const listener of Array.from(this.listeners)) listener(this.info);
  }

  /** There and back, for what nobody waits for. */
  private converse<A>(answer: () => A, receive: (answer: A) => void): void {
    this.link.ask(answer, (given) => {
      if (!this.closing) receive(given);
    });
  }

  private exchange<A, T>(
    operation: string,
    answer: () => A | typeof NO_ANSWER,
    receive: (answer: A) => T,
    options: RequestOptions = {},
  ): Promise<T> {
    const { signal, timeoutMs = this.options.requestTimeoutMs } = options;
    return this.requests.send(operation, answer, receive, timeoutMs, signal);
  }
}
