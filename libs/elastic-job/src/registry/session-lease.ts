import type { Clock } from '../clock/index.js';

/**
 * A moment on both clocks, in milliseconds: the monotonic one may stand still while a machine sleeps, the wall clock
 * not.
 */
export interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export function momentOf(clock: Clock): Moment {
  return { monotonicMs: clock.monotonicNow(), wallMs: clock.wallNow() };
}

/** How far the wall clock was set forward since a moment, in milliseconds; negative: back. */
export function leapMs(since: Moment, clock: Clock): number {
  return clock.wallNow() - since.wallMs - (clock.monotonicNow() - since.monotonicMs);
}

/** The time since a moment, in milliseconds: the longer of both clocks' answers. */
export function elapsedMs(since: Moment, clock: Clock): number {
  return Math.max(clock.monotonicNow() - since.monotonicMs, clock.wallNow() - since.wallMs);
}

/**
 * So long before the session's timeout a client stops to believe in it, in milliseconds. A server counts from the last
 * request that it heard, in ticks, and its ensemble may know of that request a tick late.
 *
 * @param serverTickMs the servers' `tickTime`, if known
 */
export function leaseMarginMs(timeoutMs: number, serverTickMs = 0): number {
  return Math.min(Math.max(serverTickMs, timeoutMs / 5), timeoutMs / 3);
}

/** How long belief in a session lasts without an answer, in milliseconds. @param serverTickMs as for `leaseMarginMs` */
export function leaseLengthMs(timeoutMs: number, serverTickMs?: number): number {
  return timeoutMs - leaseMarginMs(timeoutMs, serverTickMs);
}

/**
 * Longest wait for a server's word after the wall clock was set forward, in milliseconds. A machine that slept and a
 * clock that was corrected look the same from here; a server can tell them apart.
 */
const QUESTION_MS = 2_000;

/**
 * How long a client may believe that its session lives. The server tells of an expiry only after a reconnect, so belief
 * ends by itself: some time after this client *sent* the last request that was answered. The server heard that request
 * later than it was sent, so it ends the session later.
 *
 * Belief and verdict differ where the wall clock alone says that the time is up: then nothing may be believed, and a
 * server is asked, before the session is given up.
 */
export interface Lease {
  /** A server has granted the session, in answer to a request that was sent at that moment. */
  grant(timeoutMs: number, sent: Moment): void;
  /** A request that was sent at that moment has been answered. */
  prove(sent: Moment): void;
  /** There is no session any more. */
  end(): void;
  /** The time since the last proof of life, in milliseconds. */
  ageMs(): number;
  /**
   * How long this process may still believe itself alive, in milliseconds; 0 when it may not, or not without a server's
   * word.
   */
  remainingMs(): number;
  /**
   * How long it takes until the session has to be given up, in milliseconds. The same as `remainingMs`, unless the wall
   * clock was set forward: then at most 2 s from when that was noticed, and no longer than the lease by the monotonic
   * clock.
   */
  untilLossMs(): number;
}

/** The rules of every lease, wherever its last proof of life is kept. */
export abstract class TimedLease implements Lease {
  /** Since when the wall clock alone says that the time is up, on the monotonic clock. */
  private askedAtMs?: number;

  constructor(
    protected readonly clock: Clock,
    private readonly serverTickMs?: number,
  ) {}

  abstract grant(timeoutMs: number, sent: Moment): void;
  abstract prove(sent: Moment): void;
  abstract end(): void;
  /** The time since the last proof of life by each clock; infinite without a session. */
  protected abstract ages(): Moment;
  protected abstract get timeoutMs(): number;

  ageMs(): number {
    const { monotonicMs, wallMs } = this.ages();
    return Math.max(monotonicMs, wallMs);
  }

  remainingMs(): number {
    return this.remainders().remainingMs;
  }

  untilLossMs(): number {
    const { remainingMs, monotonicMs } = this.remainders();
    if (this.askedAtMs === undefined) return remainingMs;
    return Math.max(0, Math.min(monotonicMs, this.askedAtMs + QUESTION_MS - this.clock.monotonicNow()));
  }

  private remainders(): { readonly remainingMs: number; readonly monotonicMs: number } {
    const lengthMs = leaseLengthMs(this.timeoutMs, this.serverTickMs);
    const ages = this.ages();
    const monotonicMs = Math.max(0, lengthMs - ages.monotonicMs);
    const remainingMs = Math.max(0, Math.min(monotonicMs, lengthMs - ages.wallMs));
    if (remainingMs > 0 || monotonicMs === 0) this.askedAtMs = undefined;
    else this.askedAtMs ??= this.clock.monotonicNow();
    return { remainingMs, monotonicMs };
  }
}

/** A lease that one thread keeps and reads. */
export class SessionLease extends TimedLease {
  private provenAt: Moment | undefined;
  protected timeoutMs = 0;

  grant(timeoutMs: number, sent: Moment): void {
    this.timeoutMs = timeoutMs;
    this.provenAt = sent;
  }

  prove(sent: Moment): void {
    if (this.provenAt && sent.monotonicMs > this.provenAt.monotonicMs) this.provenAt = sent;
  }

  end(): void {
    this.provenAt = undefined;
  }

  protected ages(): Moment {
    const { provenAt } = this;
    if (!provenAt) return { monotonicMs: Infinity, wallMs: Infinity };
    const now = momentOf(this.clock);
    return { monotonicMs: now.monotonicMs - provenAt.monotonicMs, wallMs: now.wallMs - provenAt.wallMs };
  }
}
