import { Batch } from '../../../domain/index.js';
import type { Clock } from '../../../clock/index.js';
import { clockTimesOf } from '../../session-lease.js';
import {
  type Answer,
  isolated,
  type Link,
  type LinkListener,
  type Opening,
  PendingReplies,
  type Protocol,
  ReplyReader,
  type Request,
  type RequestBody,
  type SessionTicket,
} from '../wire/index.js';
import { type News, pack, type WorkerOrder } from './messages.js';

/** Events of an open link. */
type LinkNews = Extract<News, { readonly kind: 'reply' | 'event' | 'dropped' }>;

/** Sends an order to the worker thread. @param handedOver memory that belongs to the worker afterwards */
export type GiveOrder = (order: WorkerOrder, handedOver?: readonly ArrayBuffer[]) => void;

/**
 * The main thread's side of a connection that a worker thread keeps. Requests are numbered, encoded and decoded here.
 * Messages are delivered only while the session is believed alive, as the worker may have given it up meanwhile.
 */
export class WorkerLink implements Link {
  readonly ended: Promise<unknown>;
  isOpen = true;
  /** True if the outcome of the worker's next attempt belongs to this link. */
  isOpening = false;
  /** The worker's number of the link, once it is open. */
  number?: number;
  private readonly replies = new PendingReplies();
  private readonly outgoing = new Batch<RequestBody>();
  private endedBy: unknown;
  private conclude: (opening: Opening) => void = () => {};
  private markEnded: (cause: unknown) => void = () => {};

  /** @param attempt called when the link must be opened */
  constructor(
    public lastZxid: bigint,
    private readonly protocol: Protocol,
    private readonly clock: Clock,
    private readonly listener: LinkListener,
    private readonly order: GiveOrder,
    private readonly attempt: () => void,
  ) {
    this.ended = new Promise((resolve) => (this.markEnded = resolve));
  }

  open(): Promise<Opening> {
    this.isOpening = true;
    const opening = new Promise<Opening>((resolve) => (this.conclude = resolve));
    this.attempt();
    return opening;
  }

  send<T>(request: Request<T>, receive: (answer: Answer<T>) => void): void {
    if (!this.isOpen) return queueMicrotask(() => receive({ kind: 'dropped', wasSent: false, cause: this.endedBy }));
    this.replies.expect(request, receive);
    if (this.outgoing.add(request) === 1) process.nextTick(() => this.flush());
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
    this.giveUp(new Error('the connection was given up'));
  }

  opened(number: number, ticket: SessionTicket): void {
    this.isOpening = false;
    this.number = number;
    this.conclude({ kind: 'connected', ticket });
  }

  expired(): void {
    this.conclude({ kind: 'expired' });
    this.abandon();
  }

  take(news: LinkNews): void {
    if (news.kind === 'dropped') return this.end(new Error(news.problem), news.sent);
    if (!this.mayDeliver()) return this.abandon();
    if (news.kind === 'event') isolated(() => this.listener.watched(news.type, news.path));
    else this.takeReply(news.code, news.body);
  }

  /** True if the link is open and its session believed alive. */
  mayDeliver(): boolean {
    return this.isOpen && this.number !== undefined && this.listener.mayDeliver();
  }

  /** @param sent number of requests without a reply that have left; if unknown, all that were given to the worker */
  end(cause: unknown, sent = this.replies.waiting - this.outgoing.size): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.isOpening = false;
    this.endedBy = cause;
    this.conclude({ kind: 'failed', cause });
    this.listener.dropped();
    this.replies.markSent(clockTimesOf(this.clock), sent);
    this.replies.drop(cause);
    this.markEnded(cause);
  }

  private takeReply(code: number, body: Uint8Array): void {
    try {
      this.replies.answer(code, new ReplyReader(Buffer.from(body.buffer, body.byteOffset, body.byteLength)));
    } catch (error) {
      this.giveUp(new Error('the server sent a reply that cannot be read', { cause: error }));
    }
  }

  private giveUp(cause: Error): void {
    if (this.isOpen && this.number !== undefined) this.order({ kind: 'abandon', link: this.number });
    this.end(cause);
  }

  private flush(): void {
    if (!this.isOpen || this.number === undefined) return;
    const outgoing = this.outgoing.take();
    const { parts, memory } = pack(outgoing.map(({ payload }) => payload));
    const requests = outgoing.map(({ opCode }, index) => ({ opCode, payload: parts[index]! }));
    this.order({ kind: 'requests', link: this.number, requests }, [memory]);
  }
}
