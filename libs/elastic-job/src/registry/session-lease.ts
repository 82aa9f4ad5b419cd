import type { Clock } from '../clock/index.js';

/**
 * Readings of both clocks at one time, in milliseconds. While a machine sleeps, the monotonic clock may stand still,
 * and the wall clock goes on.
 */
export interface ClockTimes {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export function clockTimesOf(clock: Clock): ClockTimes {
  return { monotonicMs: clock.monotonicNow(), wallMs: clock.wallNow() };
}

/** Milliseconds by which the wall clock was set forward since then; negative if it was set back. */
export function leapMs(since: ClockTimes, clock: Clock): number {
  return clock.wallNow() - since.wallMs - (clock.monotonicNow() - since.monotonicMs);
}

/** Milliseconds since then, by the clock that shows more. */
export function elapsedMs(since: ClockTimes, clock: Clock): number {
  return Math.max(clock.monotonicNow() - since.monotonicMs, clock.wallNow() - since.wallMs);
}

/**
 * Milliseconds before the session's timeout at which a client stops believing in its session. A server counts, in
 * ticks, from the last request that it heard, and its ensemble may learn of that request a tick late.
 *
 * @param serverTickMs the servers' `tickTime`, if known
 */
export function leaseMarginMs(timeoutMs: number, serverTickMs = 0): number {
  return Math.min(Math.max(serverTickMs, timeoutMs / 5), timeoutMs / 3);
}

/**
 * Milliseconds for which a client believes in its session without an answer. @param serverTickMs as for `leaseMarginMs`
 */
export function leaseLengthMs(timeoutMs: number, serverTickMs?: number): number {
  return timeoutMs - leaseMarginMs(timeoutMs, serverTickMs);
}

/**
 * Milliseconds after the end of a lease by which what still acts for its session must have ended: the ensemble ends the
 * session later. The other half of the margin is for a ping that the ensemble has not heard of, since the server that
 * had received it died.
 */
export function lossGraceMs(timeoutMs: number): number {
  return leaseMarginMs(timeoutMs) / 2;
}

/**
 * Longest wait, in milliseconds, for a server's answer after the wall clock was set forward. A machine that slept and a
 * corrected clock look the same here; only a server can tell them apart.
 */
const QUESTION_MS = 2_000;

/**
 * Time for which a client may believe in its session. The server tells of an expiry only after a reconnect, so belief
 * ends by itself: some time after this client *sent* the last request that was answered. The server received that
 * request later than it was sent, so it ends the session later.
 *
 * If only the wall clock says that the time is up, the process stops believing at once, but asks a server before it
 * gives up the session.
 */
export interface Lease {
  /** A server has granted the session, answering a request sent then. */
  grant(timeoutMs: number, sent: ClockTimes): void;
  /** A server has answered a request sent then. */
  prove(sent: ClockTimes): void;
  /** The session is over. */
  end(): void;
  /** Milliseconds since the last proof of life. */
  ageMs(): number;
  /**
   * Milliseconds for which this process may still believe in its session; 0 when it may not, or only after asking a
   * server.
   */
  remainingMs(): number;
  /**
   * Milliseconds until the session must be given up. Equal to `remainingMs`, unless the wall clock was set forward:
   * then at most 2 s after that was noticed, and no longer than the lease by the monotonic clock.
   */
  untilLossMs(): number;
}

/** Rules common to all leases, wherever the last proof of life is kept. */
export abstract class TimedLease implements Lease {
  /** Moment on the monotonic clock since which only the wall clock says that the time is up. */
  private askedAtMs?: number;

  constructor(
    protected readonly clock: Clock,
    private readonly serverTickMs?: number,
  ) {}

  abstract grant(timeoutMs: number, sent: ClockTimes): void;
  abstract prove(sent: ClockTimes): void;
  abstract end(): void;
  /** Time since the last proof of life by each clock; infinite without a session. */
  protected abstract ages(): ClockTimes;
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

/** A lease that one thread alone writes and reads. */
export class SessionLease extends TimedLease {
  private provenAt: ClockTimes | undefined;
  protected timeoutMs = 0;

  grant(timeoutMs: number, sent: ClockTimes): void {
    this.timeoutMs = timeoutMs;
    this.provenAt = sent;
  }

  prove(sent: ClockTimes): void {
    if (this.provenAt && sent.monotonicMs > this.provenAt.monotonicMs) this.provenAt = sent;
  }

  end(): void {
    this.provenAt = undefined;
  }

  protected ages(): ClockTimes {
    const { provenAt } = this;
    if (!provenAt) return { monotonicMs: Infinity, wallMs: Infinity };
    const now = clockTimesOf(this.clock);
    return { monotonicMs: now.monotonicMs - provenAt.monotonicMs, wallMs: now.wallMs - provenAt.wallMs };
  }
}
