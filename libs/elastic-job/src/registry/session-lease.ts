import type { Clock } from '../clock/index.js';

/** A moment on both clocks, in milliseconds: the monotonic one may stand still while a machine sleeps, the wall clock not. */
export interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export function momentOf(clock: Clock): Moment {
  return { monotonicMs: clock.monotonicNow(), wallMs: clock.wallNow() };
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

/**
 * How long a client may believe that its session lives. The server tells of an expiry only after a reconnect, so belief
 * ends by itself: some time after this client *sent* the last request that was answered. The server heard that request
 * later than it was sent, so it ends the session later.
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
  /** How long this process may still believe itself alive, in milliseconds; 0 when it may not. */
  remainingMs(): number;
}

/** A lease that one thread keeps and reads. */
export class SessionLease implements Lease {
  private provenAt: Moment | undefined;
  private timeoutMs = 0;

  constructor(
    private readonly clock: Clock,
    private readonly serverTickMs?: number,
  ) {}

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

  ageMs(): number {
    return this.provenAt ? elapsedMs(this.provenAt, this.clock) : Infinity;
  }

  remainingMs(): number {
    return Math.max(0, this.timeoutMs - leaseMarginMs(this.timeoutMs, this.serverTickMs) - this.ageMs());
  }
}
