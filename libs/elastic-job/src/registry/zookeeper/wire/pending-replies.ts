import type { Moment } from '../../session-lease.js';
import { isolated } from './isolated.js';
import type { ReplyReader } from './reply-reader.js';
import type { Answer, Request } from './request.js';

interface Pending {
  readonly xid: number;
  /** Moment of the socket write that contained the request; undefined before. */
  sent: Moment | undefined;
  /** @returns a function that tells the answer @throws {RangeError} if the reply is malformed */
  read(code: number, reply: ReplyReader): () => void;
  drop(cause: unknown): void;
}

/** Requests are numbered with positive signed 32-bit integers. */
const MAX_XID = 2 ** 31 - 1;
/** Answered requests are removed in batches, as removing each one from the front would move all the others. */
const FORGET_AFTER = 1_024;

/** Requests of one connection that wait for their replies. Replies come in the order of the requests. */
export class PendingReplies {
  private pending: Pending[] = [];
  private answered = 0;
  private written = 0;

  /** @param lastXid the number before the first one */
  constructor(private lastXid = 0) {}

  /** @returns the number to send the request with */
  expect<T>(request: Request<T>, receive: (answer: Answer<T>) => void): number {
    this.lastXid = this.lastXid === MAX_XID ? 1 : this.lastXid + 1;
    const tell = (answer: Answer<T>) => {
      if (request.answered) isolated(() => request.answered?.(answer));
      isolated(() => receive(answer));
    };
    const pending: Pending = {
      xid: this.lastXid,
      sent: undefined,
      read(code, reply) {
        const answer: Answer<T> = code === 0 ? { kind: 'ok', value: request.read(reply) } : { kind: 'refused', code };
        return () => tell(answer);
      },
      drop: (cause) => tell({ kind: 'dropped', wasSent: pending.sent !== undefined, cause }),
    };
    this.pending.push(pending);
    request.sending?.();
    return pending.xid;
  }

  /** Number of requests without a reply. */
  get waiting(): number {
    return this.pending.length - this.answered;
  }

  /** Marks the first waiting requests as sent. @param count all of them, unless given */
  markSent(moment: Moment, count = this.waiting): void {
    const end = this.answered + count;
    for (; this.written < end; this.written += 1) this.pending[this.written]!.sent = moment;
  }

  /**
   * Moment at which the request that is answered now was sent. @throws {RangeError} if the reply is for another request
   */
  sentAt(xid: number): Moment | undefined {
    const next = this.pending[this.answered];
    if (next?.xid !== xid) throw new RangeError(`reply ${xid} came instead of ${next?.xid ?? 'none'}`);
    return next.sent;
  }

  /**
   * Answers the next request.
   * @throws {RangeError} if the reply is malformed; the request then stays pending
   */
  answer(code: number, reply: ReplyReader): void {
    const tell = this.pending[this.answered]?.read(code, reply);
    this.answered += 1;
    // An answered request has been sent, even if it was not marked so.
    this.written = Math.max(this.written, this.answered);
    if (this.answered >= FORGET_AFTER || this.answered === this.pending.length) {
      this.pending.splice(0, this.answered);
      this.written -= this.answered;
      this.answered = 0;
    }
    // Called last, since the listener may send requests or end the connection.
    tell?.();
  }

  /** Tells all remaining requests that the connection has ended. */
  drop(cause: unknown): void {
    for (const pending of this.pending.splice(this.answered)) pending.drop(cause);
  }
}
