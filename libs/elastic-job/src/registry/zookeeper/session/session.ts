import type { Clock, Timer } from '../../../clock/index.js';
import { noConnection } from '../../request-errors.js';
import type { CloseOptions, RegistryTraffic, RequestOptions, SessionInfo } from '../../registry-center.js';
import { AuthenticationError, RegistryUnavailableError, SessionLostError } from '../../registry.errors.js';
import type { Lease } from '../../session-lease.js';
import {
  type Answer,
  type Link,
  type LinkSource,
  type Protocol,
  reasonOf,
  type Request,
  type SessionTicket,
} from '../wire/index.js';
import { ConnectProblem, FirstConnect, SessionStates } from './session-states.js';
import { warnOfGrantedTimeout } from './warnings.js';
import { type ConnectionUser, keepConnected } from './dialer.js';
import { Watches } from './watches.js';
import type { ResolvedZooKeeperOptions } from '../zookeeper-options.js';

const LONGEST_CLOSE_MS = 2_000;
/** Milliseconds between comparisons of the clocks without a connection, as no timer runs by the wall clock. */
const LOOK_MS = 500;

/**
 * The client's side of its sessions, one after the other, each over one connection after the other.
 *
 * ```mermaid
 * stateDiagram-v2
 *   [*] --> CONNECTED
 *   CONNECTED --> SUSPENDED
 *   SUSPENDED --> RECONNECTED: the same session
 *   RECONNECTED --> SUSPENDED
 *   SUSPENDED --> LOST
 *   LOST --> RECONNECTED: a new session
 * ```
 *
 * - The connection ends, or is silent for two thirds of the timeout: SUSPENDED. Requests in flight end, each with its
 *   fate.
 * - A server takes the session back within the lease: the watches are set, their owners told, then RECONNECTED.
 * - The wall clock is set forward past the lease: SUSPENDED. The next connection asks a server, for 2 s at most.
 * - A server reports the end of the session, or the lease ends: LOST. The session is never resumed, even if it still
 *   exists.
 * - A server answers after LOST: RECONNECTED, with a new session.
 *
 * The lease is checked before anything is sent or delivered, so a process that was stopped for longer than its lease
 * hears SUSPENDED and LOST before any answer.
 */
export class Session implements ConnectionUser {
  readonly traffic: RegistryTraffic = { foreground: 0, background: 0 };
  readonly watches = new Watches();
  private readonly states: SessionStates;
  private ticket?: SessionTicket;
  /** The latest connection, in any state. */
  private latest?: Link;
  /** The connection for requests, while CONNECTED or RECONNECTED. */
  private connection?: Link;
  private lossTimer?: Timer;
  private upkeep = new AbortController();
  /** Resolves when attempts to connect have stopped and are cleaned up. */
  private keeping = Promise.resolve();
  private connecting?: Promise<void>;
  private closing?: Promise<void>;
  private readonly first: FirstConnect;
  private readonly problem: ConnectProblem;

  /** @param prepare makes a new session usable, before listeners hear of it */
  constructor(
    private readonly links: LinkSource,
    private readonly protocol: Protocol,
    private readonly options: ResolvedZooKeeperOptions,
    private readonly clock: Clock,
    private readonly lease: Lease,
    private readonly prepare: (connection: Link) => Promise<void>,
    private readonly warn: (message: string) => void,
  ) {
    this.first = new FirstConnect(options, clock);
    this.problem = new ConnectProblem((reason) => warn(`there is no session with the registry: ${reason}`));
    this.states = new SessionStates({ state: undefined, id: undefined, timeoutMs: options.sessionTimeoutMs });
  }

  get info(): SessionInfo {
    const { text: problem } = this.problem;
    return problem === undefined ? this.states.info : { ...this.states.info, problem };
  }

  /** Latest transaction that this client has heard of in its session. */
  get lastZxid(): bigint {
    return this.latest?.lastZxid ?? 0n;
  }

  /** 0 also while the next session is being prepared, as no listener has heard of it yet. */
  leaseRemainingMs(): number {
    if (this.info.state === 'LOST') return 0;
    const remainingMs = this.lease.remainingMs();
    if (remainingMs === 0 && this.connection) void this.judge();
    return remainingMs;
  }

  onChange(listener: (session: SessionInfo) => void): () => void {
    return this.states.onChange(listener);
  }

  async connect(options?: RequestOptions): Promise<void> {
    options?.signal?.throwIfAborted();
    if (this.closing) throw new RegistryUnavailableError('connect', 'not-applied', 'this registry center is closed');
    if (this.info.state !== undefined) return;
    this.connecting ??= this.firstConnect(options).finally(() => (this.connecting = undefined));
    await this.connecting;
  }

  close({ timeoutMs = LONGEST_CLOSE_MS }: CloseOptions = {}): Promise<void> {
    return (this.closing ??= this.end(timeoutMs));
  }

  /**
   * The connection for a request.
   * @throws {SessionLostError} between LOST and the next session
   * @throws {RegistryUnavailableError} without a connection
   */
  usable(operation: string): Link {
    if (this.info.state === 'LOST') throw new SessionLostError(this.info.id);
    if (this.connection && !this.closing) return this.connection;
    throw noConnection(operation, this.info, this.closing !== undefined);
  }

  /**
   * Waits until a broken connection is back.
   * @throws {SessionLostError} if the session is over
   * @throws {RegistryUnavailableError} if this client is closed
   */
  async regained(id: string | undefined): Promise<void> {
    if (!this.connection && !this.closing && this.info.state === 'SUSPENDED') {
      await this.states.next();
    }
    if (this.info.id !== id || this.info.state === 'LOST') throw new SessionLostError(id);
    this.usable('reconnect');
  }

  /**
   * Sends a request whose answer is received in order with the events. `receive` is called once, never before this
   * returns.
   */
  send<T>(
    request: Request<T>,
    receive: (answer: Answer<T>) => void,
    counted: keyof RegistryTraffic = 'background',
  ): void {
    if (!this.connection) return queueMicrotask(() => receive({ kind: 'dropped', wasSent: false, cause: undefined }));
    this.traffic[counted] += 1;
    this.connection.send(request, receive);
  }

  dial(): Link {
    const connection: Link = this.links.dial(this.ticket, {
      watched: (type, path) => this.watches.dispatch(type, path),
      mayDeliver: () => this.mayDeliver(),
      dropped: () => {
        if (this.connection === connection) this.suspend();
      },
    });
    this.latest = connection;
    return connection;
  }

  async adopt(connection: Link, ticket: SessionTicket): Promise<boolean> {
    try {
      if (connection.isOpen && !this.ticket) await this.prepare(connection);
    } catch (error) {
      this.failed(error);
      await connection.close(LONGEST_CLOSE_MS);
    }
    if (this.upkeep.signal.aborted) await connection.close(LONGEST_CLOSE_MS);
    if (!connection.isOpen) return false;
    this.begin(connection, ticket);
    return true;
  }

  expired(): void {
    this.lose();
  }

  failed(cause: unknown): void {
    this.first.failed(cause);
    const { state } = this.states.info;
    if (this.closing) return;
    // The caller of `connect` is told of the first session. One that lives on is often back at the next attempt. A
    // password that is no longer accepted is not.
    const isLasting = state === 'LOST' || cause instanceof AuthenticationError;
    this.problem.failed(reasonOf(cause), state !== undefined && isLasting);
  }

  /**
   * Judges the session by its lease, after reading the messages that arrived while this process was busy or stopped.
   */
  async judge(): Promise<void> {
    await this.clock.nextTurn();
    if (this.closing || this.info.state === undefined || this.info.state === 'LOST') return;
    this.mayDeliver();
    this.awaitLoss();
  }

  /** Gives up the connection if its lease is over, and the session too if no server needs to be asked. */
  checkLease(): void {
    if (this.connection) this.mayDeliver();
  }

  private mayDeliver(): boolean {
    if (this.lease.remainingMs() > 0) return true;
    if (this.lease.untilLossMs() > 0) this.connection?.abandon();
    else this.lose();
    return false;
  }

  private async firstConnect(options?: RequestOptions): Promise<void> {
    this.upkeep = new AbortController();
    const { signal } = this.upkeep;
    const connected = this.first.wait(signal, options);
    this.keeping = keepConnected(this, this.links, this.clock, signal);
    try {
      await connected;
    } catch (error) {
      this.upkeep.abort();
      this.latest?.abandon();
      await this.keeping;
      throw error;
    }
  }

  private begin(connection: Link, ticket: SessionTicket): void {
    const isFirst = this.info.state === undefined;
    if (isFirst) warnOfGrantedTimeout(ticket.timeoutMs, this.options, this.warn);
    this.lossTimer?.cancel();
    this.connection = connection;
    this.ticket = ticket;
    for (const paths of this.watches.pieces()) {
      this.send(this.protocol.setWatches(paths), ({ kind }) => {
        if (kind === 'refused') connection.abandon();
      });
    }
    this.watches.reconnected();
    this.states.become({ state: isFirst ? 'CONNECTED' : 'RECONNECTED', id: ticket.id, timeoutMs: ticket.timeoutMs });
    this.first.succeeded();
    this.problem.solved();
  }

  private suspend(): void {
    this.connection = undefined;
    if (this.closing) return;
    this.states.become({ state: 'SUSPENDED' });
    this.awaitLoss();
  }

  private awaitLoss(): void {
    this.lossTimer?.cancel();
    if (this.info.state !== 'SUSPENDED') return;
    this.lossTimer = this.clock.setTimer(Math.min(LOOK_MS, this.lease.untilLossMs()), () => void this.judge());
  }

  private lose(): void {
    this.ticket = undefined;
    this.lease.end();
    // A connection in use becomes SUSPENDED here, which must precede LOST.
    this.latest?.abandon();
    this.lossTimer?.cancel();
    this.watches.lose();
    if (!this.closing && this.info.state !== undefined) this.states.become({ state: 'LOST' });
  }

  private async end(timeoutMs: number): Promise<void> {
    this.upkeep.abort();
    this.lossTimer?.cancel();
    if (this.connection) await this.connection.close(Math.min(timeoutMs, this.info.timeoutMs / 3));
    else this.latest?.abandon();
    await this.keeping;
    this.lease.end();
    this.watches.lose();
    this.states.become({ state: undefined, id: undefined });
  }
}
