import type { Clock } from '../../clock/index.js';
import type { RegistryTraffic, RequestOptions, SessionInfo, SessionState } from '../registry-center.js';
import { NoAuthError, RegistryUnavailableError, SessionLostError } from '../registry.errors.js';
import type { Connection, SessionTicket } from './connection.js';
import { bounded } from './deadline.js';
import type { Dialer } from './dialer.js';
import type { Answer, Reply, Request } from './protocol.js';
import type { ResolvedZooKeeperOptions } from './zookeeper-options.js';

/** What lives and dies with a session and is kept true by its watches. Must not throw. */
export interface SessionView {
  /** A one-shot watch of this client has fired; the path is the server's. */
  watched(eventType: number, absolutePath: string): void;
  /** There is a new connection in the same session, which has no watches. */
  reconnected(): void;
  /** The session is over. */
  lose(): void;
}

/** Who waits for the first session. */
interface FirstConnect {
  connected(): void;
  refused(error: unknown): void;
}

const LONGEST_CLOSE_MS = 2_000;
/** A connection that held for less counts as a failed attempt, so that a server that drops us is not stormed. */
const STABLE_MS = 1_000;

/**
 * The client's end of its sessions, one after the other, each over one connection after the other.
 *
 * ```
 * undefined -> CONNECTED -> SUSPENDED -> RECONNECTED (same session) -> SUSPENDED ...
 *                           SUSPENDED -> LOST -> RECONNECTED (new session)
 * ```
 * LOST comes from the server alone, which tells it at a reconnect. A request is sent once, over the connection of the
 * moment: without one it fails at once, and if the connection ends before the answer its fate is unknown.
 */
export class Session {
  readonly traffic: RegistryTraffic = { foreground: 0, background: 0 };
  readonly views = new Set<SessionView>();
  info: SessionInfo;
  private readonly listeners = new Set<(session: SessionInfo) => void>();
  private ticket?: SessionTicket;
  /** The latest connection, whatever its state. */
  private latest?: Connection;
  /** The connection that may be asked: while CONNECTED or RECONNECTED. */
  private connection?: Connection;
  private upkeep = new AbortController();
  private connecting?: Promise<void>;
  private closing?: Promise<void>;
  /** Why the last attempt to connect failed. */
  private problem: unknown;

  /** @param prepare makes a new session fit for use, before anybody hears of it */
  constructor(
    private readonly dialer: Dialer,
    private readonly options: ResolvedZooKeeperOptions,
    private readonly clock: Clock,
    private readonly prepare: (connection: Connection) => Promise<void>,
  ) {
    this.info = { state: undefined, id: undefined, timeoutMs: options.sessionTimeoutMs };
  }

  onChange(listener: (session: SessionInfo) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async connect(options?: RequestOptions): Promise<void> {
    options?.signal?.throwIfAborted();
    if (this.closing) throw new RegistryUnavailableError('connect', 'not-applied', 'this registry center is closed');
    if (this.info.state !== undefined) return;
    this.connecting ??= this.firstConnect(options).finally(() => (this.connecting = undefined));
    await this.connecting;
  }

  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  /**
   * The connection to ask.
   * @throws {SessionLostError} between LOST and the next session @throws {RegistryUnavailableError} while there is none
   */
  usable(operation: string): Connection {
    if (this.info.state === 'LOST') throw new SessionLostError(this.info.id);
    if (this.connection && !this.closing) return this.connection;
    const why = this.closing ? 'this registry center is closed' : 'there is no connection to a ZooKeeper server';
    throw new RegistryUnavailableError(operation, 'not-applied', why);
  }

  /**
   * Sends a request that somebody waits for.
   * @throws {RegistryUnavailableError} @throws {SessionLostError} @throws the signal's reason
   */
  async request<T>(operation: string, request: Request<T>, options?: RequestOptions): Promise<Reply<T>> {
    options?.signal?.throwIfAborted();
    const connection = this.usable(operation);
    this.traffic.foreground += 1;
    const answer = await this.bounded(operation, connection.ask(request), options);
    if (answer.kind === 'dropped') throw connectionBroke(operation);
    return answer;
  }

  /** Sends a request that keeps a view alive. `receive` is called once, never before this returns. */
  send<T>(request: Request<T>, receive: (answer: Answer<T>) => void): void {
    if (!this.connection) return queueMicrotask(() => receive({ kind: 'dropped' }));
    this.traffic.background += 1;
    this.connection.send(request, receive);
  }

  /** Waits no longer than the options, or the default, allow. */
  bounded<T>(operation: string, work: Promise<T>, options?: RequestOptions): Promise<T> {
    const limitMs = options?.timeoutMs ?? this.options.requestTimeoutMs;
    const late = () => new RegistryUnavailableError(operation, 'unknown', `no answer within ${limitMs} ms`);
    return bounded(work, this.clock, limitMs, late, options?.signal);
  }

  private async firstConnect(options?: RequestOptions): Promise<void> {
    const limitMs = options?.timeoutMs ?? this.options.connectionTimeoutMs;
    this.upkeep = new AbortController();
    const { signal } = this.upkeep;
    const connected = new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(this.connectFailed('this registry center was closed')));
      void this.keepConnected(signal, { connected: resolve, refused: reject });
    });
    try {
      const late = () => this.connectFailed(`no answer within ${limitMs} ms`);
      await bounded(connected, this.clock, limitMs, late, options?.signal);
    } catch (error) {
      this.upkeep.abort();
      await this.latest?.abandon();
      throw error;
    }
  }

  private connectFailed(why: string): RegistryUnavailableError {
    const { serverList, namespace } = this.options;
    const detail = `no session with ${serverList} (namespace "${namespace.name}"): ${why}; ${textOf(this.problem)}`;
    return new RegistryUnavailableError('connect', 'not-applied', detail, { cause: this.problem });
  }

  /** Connects again and again, until the signal aborts. */
  private async keepConnected(signal: AbortSignal, first: FirstConnect): Promise<void> {
    for (let failures = 0; !signal.aborted;) {
      const begun = this.clock.monotonicNow();
      const outcome = await this.useOneConnection(signal, first);
      const isStable = this.clock.monotonicNow() - begun > STABLE_MS;
      failures = outcome === 'expired' || (outcome === 'used' && isStable) ? 0 : failures + 1;
      await this.dialer.pause(failures, signal);
    }
  }

  /** Opens one connection and stays with it to its end. */
  private async useOneConnection(signal: AbortSignal, first: FirstConnect): Promise<'used' | 'expired' | 'failed'> {
    const connection = this.dial();
    const opening = await connection.open();
    if (opening.kind === 'failed') this.problem = opening.cause;
    if (opening.kind === 'expired') this.lose();
    if (opening.kind !== 'connected') return opening.kind;
    try {
      if (!this.ticket) await this.prepare(connection);
    } catch (error) {
      this.problem = error;
      // Waiting does not help against a wrong digest.
      if (error instanceof NoAuthError) first.refused(error);
      await connection.close(LONGEST_CLOSE_MS);
    }
    if (signal.aborted) await connection.close(LONGEST_CLOSE_MS);
    if (!connection.isOpen) return 'failed';
    this.begin(connection, opening.ticket);
    first.connected();
    await connection.ended;
    return 'used';
  }

  private dial(): Connection {
    const connection = this.dialer.dial(this.ticket, {
      watched: (eventType, path) => {
        for (const view of this.views) view.watched(eventType, path);
      },
      dropped: () => {
        if (this.connection === connection) this.suspend();
      },
    });
    this.latest = connection;
    return connection;
  }

  private begin(connection: Connection, ticket: SessionTicket): void {
    const isFirst = this.info.state === undefined;
    this.connection = connection;
    this.ticket = ticket;
    for (const view of this.views) view.reconnected();
    this.become({ state: isFirst ? 'CONNECTED' : 'RECONNECTED', id: ticket.id, timeoutMs: ticket.timeoutMs });
  }

  private suspend(): void {
    this.connection = undefined;
    if (!this.closing) this.becomeState('SUSPENDED');
  }

  private lose(): void {
    this.ticket = undefined;
    this.loseViews();
    if (!this.closing) this.becomeState('LOST');
  }

  private async end(): Promise<void> {
    this.upkeep.abort();
    const limitMs = Math.min(LONGEST_CLOSE_MS, this.info.timeoutMs / 3);
    if (this.connection) await this.connection.close(limitMs);
    else await this.latest?.abandon();
    this.loseViews();
    this.become({ ...this.info, state: undefined, id: undefined });
  }

  private loseViews(): void {
    for (const view of this.views) view.lose();
    this.views.clear();
  }

  private becomeState(state: SessionState): void {
    this.become({ ...this.info, state });
  }

  private become(info: SessionInfo): void {
    const isChange = info.state !== this.info.state;
    this.info = info;
    if (!isChange) return;
    // A copy: a listener that is added by another one hears the next change first.
    for (const listener of new Set(this.listeners)) isolated(() => listener(info));
  }
}

/** Why an attempt failed. Several addresses of one name fail together, with a code but without a message. */
function textOf(problem: unknown): string {
  if (!(problem instanceof Error)) return 'no attempt has ended';
  return problem.message || ('code' in problem ? String(problem.code) : problem.name);
}

/** The error of a request whose connection ended before the answer. */
export function connectionBroke(operation: string): RegistryUnavailableError {
  return new RegistryUnavailableError(operation, 'unknown', 'the connection broke before the answer came');
}

/** Calls a listener that must not throw. If it does, the error surfaces as uncaught, and the client reads on unharmed. */
export function isolated(call: () => void): void {
  try {
    call();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
