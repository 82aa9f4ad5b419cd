import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../../clock/index.js';
import { Batch, type Hidden } from '../../../domain/index.js';
import { AuthenticationError } from '../../registry.errors.js';
import { type ClockTimes, clockTimesOf, elapsedMs, type Lease, leaseMarginMs } from '../../session-lease.js';
import { type Link, type LinkListener, type Opening, reasonOf } from './link.js';
import { type Credentials, ownCertificateFault, readTls } from './credentials.js';
import { foreignServer, openSocket, readyEvent, type ServerAddress } from './servers.js';
import { FrameReader, type FrameWriter, readConnected, type SessionTicket, XID } from './frames.js';
import { type Answer, PendingReplies, type Request, throwLater } from './request.js';
import type { Protocol } from './protocol.js';
import type { ReplyReader } from './reply-reader.js';
import { authenticate } from './sasl.js';

interface ConnectionOptions {
  readonly server: ServerAddress;
  /** Selects the address of the server that is tried first. */
  readonly round: number;
  readonly credentials: Hidden<Credentials>;
  readonly sessionTimeoutMs: number;
  readonly serverTickMs: number | undefined;
  /** Longest time from resolving the name to the server's acceptance of the session, in milliseconds. */
  readonly openTimeoutMs: number;
  /** The session to continue; undefined: a new one. */
  readonly ticket: SessionTicket | undefined;
  /** Latest transaction that the session has seen. */
  readonly lastZxid: bigint;
}

/** A node has up to a megabyte, and one reply may hold many. */
const LONGEST_REPLY_BYTES = 256 * 1024 * 1024;
/**
 * Codes with which a server announces that it closes the connection: the session is over, or moved to another
 * connection.
 */
const ENDING_CODES: ReadonlySet<number> = new Set([-112, -118]);

/**
 * One connection to one server, from resolving its name to the end. It is never reused, so that no state leaks into the
 * next one.
 *
 * - The credentials go first, SASL before a digest, then the requests. Requests of one turn leave in one write.
 * - It sends a ping when it has sent nothing for half of the lease's margin. It ends when no request or ping of the
 *   last two thirds of the session's timeout was answered, so a link that fails silently, in one direction or both, is
 *   noticed.
 * - A malformed reply ends it.
 */
export class Connection implements Link {
  readonly ended: Promise<unknown>;
  isOpen = true;
  lastZxid: bigint;
  private readonly frames = new FrameReader(LONGEST_REPLY_BYTES);
  private readonly replies = new PendingReplies();
  private readonly outgoing = new Batch<Buffer>();
  private lastSend: ClockTimes;
  private readonly pings: ClockTimes[] = [];
  // A real private field, since inspecting a TLS socket reveals the client's key.
  #socket?: Socket;
  private alarm?: Timer;
  private isConnected = false;
  /** True if the session was found alive since the chunk of the present message came in. Events come by the hundred. */
  private isBelieved = false;
  private endedBy: unknown;
  /** Fault of the client's certificate, by which a server may refuse it without a word. */
  private certificateFault: string | undefined;
  private timeoutMs: number;
  private conclude: (opening: Opening) => void = () => {};
  private markEnded: (cause: unknown) => void = () => {};

  constructor(
    private readonly protocol: Protocol,
    private readonly writer: FrameWriter,
    private readonly clock: Clock,
    private readonly lease: Lease,
    private readonly options: ConnectionOptions,
    private readonly listener: LinkListener,
  ) {
    this.ended = new Promise((resolve) => (this.markEnded = resolve));
    this.lastSend = clockTimesOf(clock);
    this.lastZxid = options.lastZxid;
    this.timeoutMs = options.sessionTimeoutMs;
  }

  open(): Promise<Opening> {
    const { openTimeoutMs, credentials } = this.options;
    this.alarm = this.clock.setTimer(openTimeoutMs, () => {
      void this.afterPolling(() => {
        if (!this.isConnected) this.end(new Error(`no session within ${Math.round(openTimeoutMs)} ms`));
      });
    });
    const opening = new Promise<Opening>((resolve) => (this.conclude = resolve));
    this.dial(credentials.reveal()).catch((error: unknown) => this.end(error));
    return opening;
  }

  /** Reads the certificates anew, since they may have been renewed. */
  private async dial({ tls: source, requireTls }: Credentials): Promise<void> {
    const tls = source && (await readTls(source, requireTls));
    if (!this.isOpen) return;
    const fault = tls && ownCertificateFault(tls, this.clock.wallNow());
    this.certificateFault = fault;
    this.use(await openSocket({ ...this.options, tls }), readyEvent(tls));
  }

  send<T>(request: Request<T>, receive: (answer: Answer<T>) => void): void {
    if (!this.isOpen) return queueMicrotask(() => receive({ kind: 'dropped', wasSent: false, cause: this.endedBy }));
    const xid = this.replies.expect(request, receive);
    this.write(this.writer.request(xid, request));
  }

  ask<T>(request: Request<T>): Promise<Answer<T>> {
    return new Promise((resolve) => this.send(request, resolve));
  }

  async close(timeoutMs: number): Promise<void> {
    const timer = this.clock.setTimer(timeoutMs, () => this.abandon());
    await this.ask(this.protocol.closeSession());
    timer.cancel();
    this.abandon();
  }

  abandon(): void {
    this.end(new Error('the connection was given up'));
  }

  private use(socket: Socket, ready: ReturnType<typeof readyEvent>): void {
    // A socket that was given up still needs a listener, or its error would be uncaught.
    socket.on('error', (error) => this.end(error));
    if (!this.isOpen) return void socket.destroy();
    this.#socket = socket.setNoDelay();
    socket.on('close', () => this.end(new Error('the server closed the connection')));
    socket.once(ready, () => {
      const { ticket, sessionTimeoutMs, lastZxid } = this.options;
      this.lastSend = clockTimesOf(this.clock);
      socket.write(this.writer.connect(ticket, sessionTimeoutMs, lastZxid));
    });
    socket.on('data', (chunk) => this.take(chunk));
  }

  private take(chunk: Buffer): void {
    this.isBelieved = false;
    try {
      for (const reply of this.frames.read(chunk)) {
        if (this.isConnected) this.takeReply(reply);
        else this.takeConnected(reply);
        if (!this.isOpen) return;
      }
    } catch (error) {
      this.end(
        this.isConnected
          ? new Error('the server sent a reply that cannot be read', { cause: error })
          : foreignServer(this.options.server, chunk, error),
      );
    }
  }

  private takeConnected(reply: ReplyReader): void {
    const ticket = readConnected(reply);
    if (!ticket) {
      if (this.options.ticket === undefined) return this.end(new Error('the server refused a new session'));
      this.conclude({ kind: 'expired' });
      return this.abandon();
    }
    this.isConnected = true;
    this.timeoutMs = ticket.timeoutMs;
    this.lease.grant(ticket.timeoutMs, this.lastSend);
    this.watchOver();
    if (!this.listener.mayDeliver()) return this.abandon();
    const { digest, sasl } = this.options.credentials.reveal();
    const connected = () => {
      if (digest !== undefined) this.write(this.writer.auth(digest));
      this.conclude({ kind: 'connected', ticket });
    };
    if (sasl === undefined) return connected();
    // A digest is a password in clear. A server that does not prove itself gets none.
    authenticate(this, this.protocol, sasl).then(connected, (error: unknown) => this.end(error));
  }

  private takeReply(reply: ReplyReader): void {
    const xid = reply.int();
    const zxid = reply.long();
    const code = reply.int();
    if (zxid > this.lastZxid) this.lastZxid = zxid;
    if (xid === XID.AUTH && code !== 0) return this.end(new AuthenticationError('the server refused the digest'));
    // This is no answer to the request. Its fate follows from the end of the connection.
    if (ENDING_CODES.has(code)) return this.end(new Error('the server ended the session'));
    const sent = xid === XID.PING ? this.pings.shift() : xid > 0 ? this.replies.sentAt(xid) : undefined;
    if (sent) this.lease.prove(sent);
    if (!this.isBelieved || sent) this.isBelieved = this.listener.mayDeliver();
    if (!this.isBelieved) return this.abandon();
    if (xid === XID.EVENT) this.takeEvent(reply);
    else if (xid > 0) this.replies.answer(code, reply);
  }

  private takeEvent(reply: ReplyReader): void {
    const type = reply.int();
    reply.int(); // state
    const path = reply.text();
    try {
      this.listener.watched(type, path);
    } catch (error) {
      throwLater(error);
    }
  }

  private write(frame: Buffer): void {
    if (this.outgoing.add(frame) === 1) process.nextTick(() => this.flush());
  }

  private flush(): void {
    if (!this.isOpen || this.outgoing.size === 0) return;
    this.lastSend = clockTimesOf(this.clock);
    this.replies.markSent(this.lastSend);
    const outgoing = this.outgoing.take();
    this.#socket?.write(outgoing.length === 1 ? outgoing[0]! : Buffer.concat(outgoing));
  }

  /** Wakes when the next ping must be sent, or when an answer is overdue. */
  private watchOver(): void {
    this.alarm?.cancel();
    const toPingMs = this.pingAfterMs - elapsedMs(this.lastSend, this.clock);
    const toEndMs = this.silenceMs - this.lease.ageMs();
    const dueMs = Math.max(0, Math.min(toPingMs, toEndMs));
    this.alarm = this.clock.setTimer(dueMs, () => void this.afterPolling(() => this.pingOrEnd()));
  }

  private pingOrEnd(): void {
    if (!this.isOpen) return;
    const ageMs = this.lease.ageMs();
    if (ageMs >= this.silenceMs) return this.end(new Error(`no answer for ${Math.round(ageMs)} ms`));
    if (elapsedMs(this.lastSend, this.clock) >= this.pingAfterMs) {
      this.write(this.writer.ping);
      this.flush();
      this.pings.push(this.lastSend);
    }
    this.watchOver();
  }

  /**
   * Interval between signs of life. A member of an ensemble tells the leader twice per tick which sessions it has
   * heard. If it dies in between, the leader knows only the request before, which must not be older than the lease's
   * margin less half a tick. The margin is at least a tick, if that is known.
   */
  private get pingAfterMs(): number {
    return leaseMarginMs(this.timeoutMs, this.options.serverTickMs) / 2;
  }

  private get silenceMs(): number {
    return (2 / 3) * this.timeoutMs;
  }

  /** Runs an alarm after reading the messages that arrived while the process was busy or stopped. */
  private async afterPolling(act: () => void): Promise<void> {
    await this.clock.nextTurn();
    act();
  }

  private end(cause: unknown): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.endedBy = cause;
    const { certificateFault } = this;
    const reason = this.isConnected || certificateFault === undefined ? cause : withFault(certificateFault, cause);
    this.alarm?.cancel();
    this.#socket?.destroy();
    this.conclude({ kind: 'failed', cause: reason });
    this.listener.dropped();
    this.replies.drop(cause);
    this.markEnded(cause);
  }
}

function withFault(fault: string, cause: unknown): Error {
  return new Error(`${reasonOf(cause)}; ${fault}`, { cause });
}
