import type { Moment } from '../../session-lease.js';
import { isolated } from './isolated.js';
import type { ReplyReader } from './reply-reader.js';
import type { Answer, Request } from './request.js';

interface Pending {
  readonly xid: number;
  /** The moment of the write that it was part of; undefined before. */
  sent: Moment | undefined;
  /** @returns what tells the answer @throws {RangeError} if the reply is not of the right form */
  read(code: number, reply: ReplyReader): () => void;
  drop(cause: unknown): void;
}

/** Requests are numbered with a signed 32-bit number that is above zero. */
const MAX_XID = 2 ** 31 - 1;
/** Answered requests are forgotten in batches: taking each from the front would move all the others. */
const FORGET_AFTER = 1_024;

/** The requests of one connection that wait for their replies, which come in the order of the requests. */
export class PendingReplies {
  private pending: Pending[] = [];
  private answered = 0;
  private written = 0;

  /** @param lastXid the number after which to go on */
  constructor(private lastXid = 0) {}

  /** @returns the number that the request is to be sent with */
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

  /** So many wait for their replies. */
  get waiting(): number {
    return this.pending.length - this.answered;
  }

  /** The first so many that wait have left. @param count all, unless given */
  markSent(moment: Moment, count = this.waiting): void {
    const end = this.answered + count;
    for (; this.written < end; this.written += 1) this.pending[this.written]!.sent = moment;
  }

  /** When the request was sent that is answered now. @throws {RangeError} if another one is to be answered first */
  sentAt(xid: number): Moment | undefined {
    const next = this.pending[this.answered];
    if (next?.xid !== xid) throw new RangeError(`reply ${xid} came instead of ${next?.xid ?? 'none'}`);
    return next.sent;
  }

  /**
   * Answers the request that is next.
   * @throws {RangeError} if the reply is not of the right form; it is then still pending
   */
  answer(code: number, reply: ReplyReader): void {
    const tell = this.pending[this.answered]?.read(code, reply);
    this.answered += 1;
    // What is answered has left, though nobody may have said so.
    this.written = Math.max(this.written, this.answered);
    if (this.answered >= FORGET_AFTER || this.answered === this.pending.length) {
      this.pending.splice(0, this.answered);
      this.written -= this.answered;
      this.answered = 0;
    }
    // Last: whoever is told may send, or end the connection.
    tell?.();
  }

  /** The connection has ended: tells all that are left. */
  drop(cause: unknown): void {
    for (const pending of this.pending.splice(this.answered)) pending.drop(cause);
  }
}
