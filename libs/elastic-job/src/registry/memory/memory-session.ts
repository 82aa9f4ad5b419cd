import { type Clock, type Timer, waitFor } from '../../clock/index.js';
import type { Namespace } from '../namespace.js';
import type { CloseOptions, RequestOptions, SessionInfo, SessionState } from '../registry-center.js';
import { noConnection } from '../request-errors.js';
import { RegistryUnavailableError, SessionLostError } from '../registry.errors.js';
import { MemoryLease } from './memory-lease.js';
import { type LaneName, type Latency, MemoryLink, PendingRequests } from './memory-link.js';
import type { MemoryServer, Peer } from './memory-server.js';
import { localNodes, type News, OpenViews } from './memory-views.js';

/** Behaviour of a client's session; times in milliseconds. */
export interface MemorySessionOptions {
  readonly clock: Clock;
  readonly namespace: Namespace;
  readonly sessionTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly latencyMs: Latency;
  readonly newsLagMs?: Latency;
}

const LONGEST_CLOSE_MS = 2_000;
/** As in ZooKeeper's client, a connection without any message for this part of the session's timeout is given up. */
const READ_TIMEOUT_PART = 2 / 3;

/**
 * The client's side of its sessions, one after the other.
 *
 * ```
 * undefined -> CONNECTED -> SUSPENDED -> RECONNECTED (same session) -> SUSPENDED ...
 *                           SUSPENDED -> LOST -> RECONNECTED (new session)
 * ```
 * LOST comes from the server after a reconnect or, without a connection, from the client's own timer, before the server
 * removes the ephemeral nodes. A session that this client has declared lost is never resumed. A process that was frozen
 * checks its lease first: SUSPENDED and LOST come before any answer, news or timer. A wall clock that was set forward
 * past the lease is noticed at the next request or question, and then the server is asked again.
 */
export class MemorySession implements Peer {
  readonly link: MemoryLink;
  readonly requests: PendingRequests;
  /** The open views, which live as long as the session. */
  readonly views: OpenViews;
  info: SessionInfo;
  private readonly listeners = new Set<(session: SessionInfo) => void>();
  private readTimer?: Timer;
  private readonly lease: MemoryLease;
  private isBrokenWhileFrozen = false;
  private connecting?: Promise<void>;
  private closing?: Promise<void>;

  constructor(
    private readonly server: MemoryServer,
    private readonly options: MemorySessionOptions,
  ) {
    this.link = new MemoryLink(server.clock, options.latencyMs, options.newsLagMs);
    this.requests = new PendingRequests(this.link, options.clock, options.requestTimeoutMs);
    this.views = new OpenViews(options.namespace);
    this.lease = new MemoryLease(options.clock, options.sessionTimeoutMs, () => this.outlast());
    this.info = { state: undefined, id: undefined, timeoutMs: options.sessionTimeoutMs };
  }

  /** Milliseconds left. Counts down while no server answers; constant while one does. */
  leaseRemainingMs(): number {
    if (this.info.state === undefined || this.info.state === 'LOST') return 0;
    if (!this.hasLeapt()) return this.lease.beliefMs();
    queueMicrotask(() => this.checkClock());
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
    const opened = (id: string) => this.become('CONNECTED', id);
    this.connecting ??= this.requests
      .send('connect', () => this.open(), opened, options)
      .finally(() => (this.connecting = undefined));
    await this.connecting;
  }

  close({ timeoutMs = LONGEST_CLOSE_MS }: CloseOptions = {}): Promise<void> {
    return (this.closing ??= this.end(timeoutMs));
  }

  /** Gives up the connection if the clock was set forward, since only a server knows if the session outlived that. */
  checkClock(): void {
    if (!this.hasLeapt() || this.closing) return;
    this.lease.run(this.lease.leapMs);
    this.link.drop();
    this.disconnected();
  }

  /** True if the clock was set forward and the server has not answered yet. */
  get isAsking(): boolean {
    return this.info.state === 'SUSPENDED' && this.lease.remainingMs() === 0 && this.lease.untilLossMs() > 0;
  }

  /** Waits for the server's answer or the end of the session, one of which comes by the end of the lease. */
  async answered(): Promise<void> {
    this.lease.awaitEnd();
    await waitFor((goOn) => this.onChange(goOn));
  }

  /**
   * The session for a request.
   * @throws {SessionLostError} between LOST and the next session
   * @throws {RegistryUnavailableError} without a connection
   */
  usableId(operation: string): string {
    const { state, id } = this.info;
    if (state === 'LOST') throw new SessionLostError(id);
    if (!this.closing && id !== undefined && this.isConnected()) return id;
    throw noConnection(operation, this.info, this.closing !== undefined);
  }

  receive(news: News, isOwn: boolean): void {
    this.views.receive(news, isOwn);
  }

  disconnected(): void {
    this.isBrokenWhileFrozen = this.link.frozen;
    if (this.link.frozen) return;
    this.requests.fail('the connection broke before the answer came');
    if (this.closing || this.info.state === undefined) return;
    if (this.isConnected()) {
      this.lease.run();
      this.lease.awaitEnd();
      this.become('SUSPENDED');
    }
    this.reconnect();
  }

  /** Freezes the process. Messages that it has sent arrive; messages to it wait. */
  freeze(): void {
    this.link.freeze();
    this.lease.run();
    this.server.frozen(this);
  }

  /** Lets the process go on. A connection that was silent for longer than the lease is dropped unread. */
  thaw(): void {
    const isLate = this.lease.remainingMs() === 0;
    if (isLate) this.link.drop();
    this.link.thaw();
    if (isLate || this.isBrokenWhileFrozen) this.disconnected();
    if (this.info.state === 'SUSPENDED' && this.lease.untilLossMs() === 0) this.lose();
    // The server counts from before the pause until it hears this client, and so must the lease.
    if (this.isConnected() && !this.closing) this.lease.runOn();
    this.link.send(() => {
      this.server.thawed(this);
      this.endSilence();
    });
  }

  /** Cuts one direction. The client hears nothing in either case, as its pings are not answered. */
  cut(lane: LaneName): void {
    this.link.hold(lane);
    if (lane === 'requests') this.server.frozen(this);
    if (!this.isConnected()) return;
    this.lease.run();
    const waitMs = this.info.timeoutMs * READ_TIMEOUT_PART - this.lease.ageMs();
    this.readTimer ??= this.options.clock.setTimer(Math.max(0, waitMs), () => this.giveUp());
  }

  /** Ends a cut. Messages that waited get through, unless the client has given up the connection. */
  uncut(lane: LaneName): void {
    const isGivenUp = this.link.broken;
    this.readTimer?.cancel();
    this.readTimer = undefined;
    this.link.mend();
    this.link.release(lane);
    if (isGivenUp) return this.disconnected();
    this.endSilence();
    this.server.thawed(this);
  }

  /** Stops the countdown, unless one direction is still cut or this process stands still. */
  private endSilence(): void {
    if (this.isConnected() && !this.link.frozen && !this.link.cut) this.lease.stop();
  }

  private giveUp(): void {
    this.link.break();
    this.server.frozen(this);
    this.disconnected();
  }

  private reconnect(): void {
    const { id } = this.info;
    if (id === undefined) return;
    if (this.info.state === 'LOST') return this.renew();
    const views = this.views.all;
    this.converse(
      () =>
        this.server.resume(id) && views.map(({ path }) => this.server.subtree(this.options.namespace.absolute(path))),
      (contents) => {
        if (!contents) this.lose();
        if (!contents || this.info.state === 'LOST') return this.renew(); // It may have given up meanwhile.
        this.lease.stopWaiting();
        for (const [index, view] of views.entries()) {
          view.replace(localNodes(contents[index] ?? [], this.options.namespace));
        }
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
    this.lease.stopWaiting();
    this.views.lose();
    this.become('LOST');
  }

  /** Called when the lease is over, also while the connection still seems to be alive. */
  private outlast(): void {
    if (!this.isConnected()) return this.lose();
    this.link.drop();
    this.disconnected();
  }

  private async end(timeoutMs: number): Promise<void> {
    const bye = () => this.server.close(this);
    this.lease.stopWaiting();
    this.readTimer?.cancel();
    if (this.isConnected()) {
      const limits = { timeoutMs: Math.min(timeoutMs, this.options.sessionTimeoutMs / 3) };
      await this.requests.send('close', bye, () => {}, limits).catch(() => {});
    } else {
      this.link.send(bye);
    }
    this.requests.fail('this registry center was closed');
    this.views.lose();
    this.info = { ...this.info, id: undefined };
    this.become(undefined);
  }

  private hasLeapt(): boolean {
    return this.isConnected() && this.lease.hasLeapt();
  }

  private open(): string {
    return this.server.open(this, this.options.sessionTimeoutMs, this.options.namespace.root);
  }

  private isConnected(): boolean {
    return this.info.state === 'CONNECTED' || this.info.state === 'RECONNECTED';
  }

  private become(state: SessionState | undefined, id = this.info.id): void {
    if (state === this.info.state) return;
    if (state !== 'SUSPENDED') this.lease.renew();
    this.info = { ...this.info, state, id };
    // A listener that another listener adds receives the next change, not this one.
    for (const listener of Array.from(this.listeners)) listener(this.info);
  }

  /** A round trip that no caller waits for. */
  private converse<A>(answer: () => A, receive: (answer: A) => void): void {
    this.link.ask(answer, (given) => {
      if (!this.closing) receive(given);
    });
  }
}
