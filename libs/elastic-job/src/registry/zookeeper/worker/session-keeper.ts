import type { Clock } from '../../../clock/index.js';
import { AuthenticationError } from '../../registry.errors.js';
import type { Lease } from '../../session-lease.js';
import { type Answer, type Link, type LinkSource, reasonOf, type Request, type SessionTicket } from '../wire/index.js';
import { type ConnectionUser, keepConnected } from '../session/index.js';
import { type News, type PackedRequest, RawPayload } from './messages.js';

const LONGEST_CLOSE_MS = 2_000;
const NO_BODY = new Uint8Array();

/**
 * Keeps one session connected over one link after the other, on behalf of the main thread and even while that thread is
 * blocked. It ends with the session: a new one begins only when the main thread knows of the loss and asks for it. A
 * session whose first link ends before the main thread could use it counts as over too, since the fault may be that
 * server's.
 */
export class SessionKeeper implements ConnectionUser {
  private readonly upkeep = new AbortController();
  private ticket?: SessionTicket;
  /** The latest link, in any state. */
  private latest?: Link;
  /** The latest link that was opened, which may have ended, and its number. */
  private opened?: { readonly link: Link; readonly number: number };
  /** Requests of that link that were sent and will get no reply. */
  private unreplied = 0;
  private isHeld = false;
  private isOver = false;

  /** @param nextLink returns a number that no other link has */
  constructor(
    private readonly number: number,
    private readonly links: LinkSource,
    private readonly clock: Clock,
    private readonly lease: Lease,
    private readonly nextLink: () => number,
    private readonly emit: (news: News) => void,
  ) {}

  get lastZxid(): bigint {
    return this.latest?.lastZxid ?? 0n;
  }

  /** Connects repeatedly until the session is over or `stop` is called. */
  async run(): Promise<void> {
    await this.links.backOff?.pause(this.upkeep.signal);
    await keepConnected(this, this.links, this.clock, this.upkeep.signal);
    if (this.isOver) this.emit({ kind: 'expired', session: this.number });
  }

  /** Marks the session of this number as in use. */
  hold(session: number): void {
    if (session === this.number) this.isHeld = true;
  }

  /** Stops, since the main thread no longer needs this session. */
  stop(): void {
    this.upkeep.abort();
    this.latest?.abandon();
  }

  /** Ends the belief in the session first, and then the session, so that its ephemeral nodes go at once. */
  giveUp(): void {
    this.end();
    if (this.ticket) void this.latest?.close(Math.min(LONGEST_CLOSE_MS, this.ticket.timeoutMs / 3));
    else this.latest?.abandon();
  }

  dial(): Link {
    const listener = {
      watched: (type: number, path: string) => {
        if (this.opened !== undefined) this.emit({ kind: 'event', link: this.opened.number, type, path });
      },
      mayDeliver: () => this.mayDeliver(),
      dropped: () => {},
    };
    this.latest = this.links.dial(this.ticket, listener);
    return this.latest;
  }

  async adopt(link: Link, ticket: SessionTicket): Promise<boolean> {
    if (!link.isOpen) return false;
    this.ticket = ticket;
    const number = this.nextLink();
    this.opened = { link, number };
    this.unreplied = 0;
    this.emit({ kind: 'opened', session: this.number, link: number, ticket });
    void this.emitEnd(link, number);
    return true;
  }

  expired(): void {
    this.end();
  }

  failed(cause: unknown): void {
    const refused = cause instanceof AuthenticationError ? cause.detail : undefined;
    this.emit({ kind: 'failed', session: this.number, problem: reasonOf(cause), refused });
  }

  /**
   * Sends requests over a link. For an ended link nothing is sent, also while the next one is dialed: its end was or
   * will be reported, and with it the fate of these.
   */
  send(number: number, requests: readonly PackedRequest[]): void {
    const { opened } = this;
    if (number !== opened?.number) return;
    for (const { opCode, payload } of requests) {
      const request: Request<Uint8Array> = { opCode, payload: new RawPayload(payload), read: (reply) => reply.rest() };
      opened.link.send(request, (answer) => this.take(number, answer));
    }
  }

  abandon(number: number): void {
    if (number === this.opened?.number) this.opened.link.abandon();
  }

  private take(link: number, answer: Answer<Uint8Array>): void {
    switch (answer.kind) {
      case 'ok':
        return this.emit({ kind: 'reply', link, code: 0, body: answer.value });
      case 'refused':
        return this.emit({ kind: 'reply', link, code: answer.code, body: NO_BODY });
      case 'dropped':
        if (answer.wasSent) this.unreplied += 1;
        return;
      default:
        return answer satisfies never;
    }
  }

  private async emitEnd(link: Link, number: number): Promise<void> {
    const problem = reasonOf(await link.ended);
    if (!this.isHeld && !this.upkeep.signal.aborted) this.end();
    this.emit({ kind: 'dropped', link: number, sent: this.unreplied, problem });
  }

  private mayDeliver(): boolean {
    if (this.lease.remainingMs() > 0) return true;
    if (this.lease.untilLossMs() === 0) this.end();
    return false;
  }

  private end(): void {
    this.isOver = true;
    this.lease.end();
    this.upkeep.abort();
  }
}
