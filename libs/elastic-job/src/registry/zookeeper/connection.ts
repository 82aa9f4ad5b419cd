import type { Clock } from '../../clock/index.js';
import type { ClientLibrary, ConnectionManager } from './client-library.js';
import { type Answer, type Protocol, type Request, sessionIdText } from './protocol.js';
import type { ServerAddress } from './server-list.js';

/** What lets a later connection go on with the session of an earlier one. */
export interface SessionTicket {
  readonly id: string;
  /** What the server granted, in milliseconds. */
  readonly timeoutMs: number;
  readonly sessionId: Buffer;
  readonly sessionPassword: Buffer;
}

/** How an attempt to connect ended. `expired`: the session of the ticket is over. */
export type Opening =
  | { readonly kind: 'connected'; readonly ticket: SessionTicket }
  | { readonly kind: 'expired' }
  | { readonly kind: 'failed'; readonly cause: unknown };

export interface ConnectionOptions {
  readonly server: ServerAddress;
  readonly digest: string | undefined;
  readonly sessionTimeoutMs: number;
  /** Longest wait for the server to accept the session, in milliseconds. */
  readonly handshakeTimeoutMs: number;
  /** The session to go on with; undefined: a new one. */
  readonly ticket: SessionTicket | undefined;
}

/** Called while the socket is read, in the order of the server. Must not throw: the client would stop reading. */
export interface ConnectionListener {
  /** A one-shot watch has fired. */
  watched(eventType: number, path: string): void;
  /** The connection has ended. Every request without an answer is told so first. */
  dropped(): void;
}

/** The reply to a closed connection, and the two that a server gives before it closes one. */
const DROPPED_CODES: ReadonlySet<number> = new Set([-4, -112, -115]);

/**
 * One connection to one server, from handshake to end. A stock ConnectionManager serves for one connection only and is
 * then thrown away: reused, it would send stale requests in the new connection, before the credentials, and would
 * choke on half a reply or on a server that stays silent. It also never gives up such a server, so the handshake has a
 * deadline here. What is left of its defects: a link that dies in silence later is noticed by the kernel alone, and an
 * error code that it does not know ends the process.
 */
export class Connection {
  private readonly manager: ConnectionManager;
  private opened?: (opening: Opening) => void;
  private markEnded?: () => void;
  /** Resolves when the connection has ended, for whatever reason. */
  readonly ended = new Promise<void>((resolve) => (this.markEnded = resolve));
  /** False as soon as nothing more can be sent. */
  isOpen = true;
  private cause: unknown = new Error('the server closed the connection, or gave no answer');

  constructor(
    private readonly library: ClientLibrary,
    private readonly protocol: Protocol,
    private readonly clock: Clock,
    private readonly options: ConnectionOptions,
    private readonly listener: ConnectionListener,
  ) {
    const { server, sessionTimeoutMs, ticket, digest } = options;
    this.manager = new library.ConnectionManager(
      server.host,
      { ...ticket, sessionTimeout: sessionTimeoutMs, spinDelay: 0 },
      (state) => this.onState(state),
    );
    this.manager.servers = [server];
    this.manager.watcherManager = {
      isEmpty: () => true,
      emit: ({ type, path }) => listener.watched(type, path),
    };
    this.manager.onSocketError = (error) => {
      this.cause = error;
    };
    if (digest !== undefined) this.manager.addAuthInfo('digest', Buffer.from(digest));
  }

  /** Connects and asks for the session. Never rejects. */
  open(): Promise<Opening> {
    return new Promise((resolve) => {
      const timer = this.clock.setTimer(this.options.handshakeTimeoutMs, () => void this.abandon());
      this.opened = (opening) => {
        timer.cancel();
        resolve(opening);
      };
      this.manager.connect();
      // From here on `connect` would be its reconnect, for ever and to this server.
      this.manager.connect = () => {};
    });
  }

  /** Sends a request. `receive` is called once, never before this returns, in the order of replies and watches. */
  send<T>(request: Request<T>, receive: (answer: Answer<T>) => void): void {
    if (!this.isOpen) return queueMicrotask(() => receive({ kind: 'dropped' }));
    const { jute } = this.library;
    const header = new jute.protocol.RequestHeader(0, request.opCode);
    this.manager.queue(new jute.Request(header, request.payload), (error, reply) => {
      if (error) receive(DROPPED_CODES.has(error.code) ? { kind: 'dropped' } : { kind: 'refused', code: error.code });
      else if (reply) receive({ kind: 'ok', value: request.receive(reply.payload) });
    });
  }

  /** Sends a request. Never rejects. */
  ask<T>(request: Request<T>): Promise<Answer<T>> {
    return new Promise((resolve) => this.send(request, resolve));
  }

  /** Ends the session and then the connection; waits no longer than `limitMs` milliseconds for the server. Never rejects. */
  async close(limitMs: number): Promise<void> {
    const timer = this.clock.setTimer(limitMs, () => void this.abandon());
    await this.ask(this.protocol.closeSession());
    timer.cancel();
    await this.abandon();
  }

  /** Ends the connection; the session lives on for its timeout. Never rejects. */
  abandon(): Promise<void> {
    this.isOpen = false;
    // The client creates its socket in the turn after `connect`.
    process.nextTick(() => this.manager.socket?.destroy());
    return this.ended;
  }

  private onState(state: number): void {
    const { STATES } = this.library.ConnectionManager;
    switch (state) {
      case STATES.CONNECTED:
        return this.opened?.({ kind: 'connected', ticket: this.ticket() });
      case STATES.SESSION_EXPIRED:
        this.opened?.({ kind: 'expired' });
        return void this.abandon();
      case STATES.AUTHENTICATION_FAILED:
        this.cause = new Error('the server refused the digest');
        return void this.abandon();
      case STATES.DISCONNECTED:
        return this.end();
      default:
    }
  }

  private end(): void {
    this.isOpen = false;
    clearTimeout(this.manager.connectTimeoutHandler ?? undefined);
    // What the client still held back for a slow socket: it was not sent, and no later connection will send it.
    for (const { callback } of this.manager.packetQueue.queue.splice(0)) callback({ code: -4 });
    this.opened?.({ kind: 'failed', cause: this.cause });
    this.listener.dropped();
    this.markEnded?.();
  }

  private ticket(): SessionTicket {
    const sessionId = this.manager.getSessionId();
    return {
      id: sessionIdText(sessionId),
      timeoutMs: this.manager.getSessionTimeout(),
      sessionId,
      sessionPassword: this.manager.getSessionPassword(),
    };
  }
}
