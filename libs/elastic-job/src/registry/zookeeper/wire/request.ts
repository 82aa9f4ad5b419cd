import type { ClockTimes } from '../../session-lease.js';
import type { JutePayload } from './client-library.js';
import type { ReplyReader } from './reply-reader.js';

/** Body of a request. Paths are the server's. */
export interface RequestBody {
  readonly opCode: number;
  readonly payload: JutePayload | null;
}

/** A request and the decoder of its reply. */
export interface Request<T> extends RequestBody {
  /** @throws {RangeError} if the reply is malformed */
  readonly read: (reply: ReplyReader) => T;
  /** Called when the request is handed to a connection. `answered` follows once, in any case. Must not throw. */
  readonly sending?: () => void;
  /** Called when all earlier requests are answered, so that the next reply is its own. Must not throw. */
  readonly comesNext?: () => void;
  /** Called in the order of replies and events, before the caller gets the answer. Must not throw. */
  readonly answered?: (answer: Answer<T>) => void;
}

/** Reply of the server. */
export type Reply<T> = { readonly kind: 'ok'; readonly value: T } | { readonly kind: 'refused'; readonly code: number };

/**
 * Outcome of a request. `dropped`: the connection ended first. If the request was sent, it may or may not have been
 * applied.
 */
export type Answer<T> = Reply<T> | { readonly kind: 'dropped'; readonly wasSent: boolean; readonly cause: unknown };

interface Pending {
  readonly xid: number;
  /** Times of the socket write that contained the request; undefined before. */
  sent: ClockTimes | undefined;
  /** The next request; undefined once this one is answered, so that none that was answered keeps later ones alive. */
  next: Pending | undefined;
  /** @see Request.comesNext */
  comesNext(): void;
  /** @returns a function that delivers the answer @throws {RangeError} if the reply is malformed */
  read(code: number, reply: ReplyReader): () => void;
  drop(cause: unknown): void;
}

/** Requests are numbered with positive signed 32-bit integers. */
const MAX_XID = 2 ** 31 - 1;

/** Requests of one connection that wait for their replies. Replies come in the order of the requests. */
export class PendingReplies {
  private first: Pending | undefined;
  private last: Pending | undefined;
  /** The first request that was not marked as sent. */
  private unsent: Pending | undefined;
  private count = 0;
  private sentCount = 0;

  /** @param lastXid the number before the first one */
  constructor(private lastXid = 0) {}

  /** @returns the number to send the request with */
  expect<T>(request: Request<T>, receive: (answer: Answer<T>) => void): number {
    this.lastXid = this.lastXid === MAX_XID ? 1 : this.lastXid + 1;
    const deliver = (answer: Answer<T>) => {
      if (request.answered) isolated(() => request.answered?.(answer));
      isolated(() => receive(answer));
    };
    const pending: Pending = {
      xid: this.lastXid,
      sent: undefined,
      next: undefined,
      comesNext: () => request.comesNext?.(),
      read(code, reply) {
        const answer: Answer<T> = code === 0 ? { kind: 'ok', value: request.read(reply) } : { kind: 'refused', code };
        return () => deliver(answer);
      },
      drop: (cause) => deliver({ kind: 'dropped', wasSent: pending.sent !== undefined, cause }),
    };
    if (this.last === undefined) this.first = pending;
    else this.last.next = pending;
    this.last = pending;
    this.unsent ??= pending;
    this.count += 1;
    request.sending?.();
    if (this.first === pending) pending.comesNext();
    return pending.xid;
  }

  /** Number of requests without a reply. */
  get waiting(): number {
    return this.count;
  }

  /** Marks the first waiting requests as sent. @param count all of them, unless given */
  markSent(times: ClockTimes, count = this.count): void {
    for (; this.sentCount < count && this.unsent !== undefined; this.sentCount += 1) {
      this.unsent.sent = times;
      this.unsent = this.unsent.next;
    }
  }

  /**
   * Times at which the request that is answered now was sent. @throws {RangeError} if the reply is for another request
   */
  sentAt(xid: number): ClockTimes | undefined {
    const { first } = this;
    if (first?.xid !== xid) throw new RangeError(`reply ${xid} came instead of ${first?.xid ?? 'none'}`);
    return first.sent;
  }

  /**
   * Answers the next request.
   * @throws {RangeError} if the reply is malformed; the request then stays pending
   */
  answer(code: number, reply: ReplyReader): void {
    const deliver = this.first?.read(code, reply);
    this.shift();
    // Called last, since the listener may send requests or end the connection.
    deliver?.();
  }

  /** Ends all remaining requests, since the connection has ended. */
  drop(cause: unknown): void {
    const all: Pending[] = [];
    for (let pending = this.shift(); pending !== undefined; pending = this.shift()) all.push(pending);
    for (const pending of all) pending.drop(cause);
  }

  private shift(): Pending | undefined {
    const { first } = this;
    if (first === undefined) return undefined;
    this.first = first.next;
    if (this.first === undefined) this.last = undefined;
    // An answered request has been sent, even if it was not marked so.
    if (this.unsent === first) this.unsent = first.next;
    else this.sentCount -= 1;
    first.next = undefined;
    this.count -= 1;
    this.first?.comesNext();
    return first;
  }
}

/**
 * Calls a listener that must not throw. If it does, the error becomes an uncaught one and the client continues reading.
 */
export function isolated(call: () => void): void {
  try {
    call();
  } catch (error) {
    throwLater(error);
  }
}

/** Throws an error where nobody can catch it. Thousands of events a second need no closure for `isolated` this way. */
export function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
