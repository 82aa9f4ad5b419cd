import type { Clock, Timer } from '../../clock/index.js';
import { type ClockTimes, clockTimesOf, leapMs, leaseLengthMs, SessionLease } from '../session-lease.js';

/** The lease of a memory client. It has its full length while a server answers, and runs down while none does. */
export class MemoryLease extends SessionLease {
  private isRunning = false;
  /** Times of the last comparison of the clocks, while a server answered. */
  private compared: ClockTimes;
  private timer?: Timer;

  constructor(
    clock: Clock,
    private readonly sessionTimeoutMs: number,
    private readonly over: () => void,
  ) {
    super(clock);
    this.compared = clockTimesOf(clock);
  }

  /**
   * Milliseconds for which this process may believe in the session. Constant while a server answers, else counting
   * down.
   */
  beliefMs(): number {
    return this.isRunning ? this.remainingMs() : this.lengthMs;
  }

  /**
   * Starts the countdown: no server answers now. @param aheadMs how far the wall clock was set forward since the last
   * answer
   */
  run(aheadMs = 0): void {
    if (this.isRunning) return;
    const { monotonicMs, wallMs } = clockTimesOf(this.clock);
    this.isRunning = true;
    this.grant(this.sessionTimeoutMs, { monotonicMs, wallMs: wallMs - aheadMs });
  }

  /** Continues the countdown from its last start. */
  runOn(): void {
    this.isRunning = true;
    this.awaitEnd();
  }

  /** Calls `over` when the session must be given up, unless `stopWaiting` or `stop` comes first. */
  awaitEnd(): void {
    this.stopWaiting();
    this.timer = this.clock.setTimer(this.untilLossMs(), () => {
      if (this.untilLossMs() > 0) this.awaitEnd();
      else this.over();
    });
  }

  stopWaiting(): void {
    this.timer?.cancel();
  }

  /** Stops the countdown: a server answers again. */
  stop(): void {
    this.isRunning = false;
    this.stopWaiting();
  }

  /** Starts afresh: a server has granted or confirmed a session, or there is no session any more. */
  renew(): void {
    this.isRunning = false;
    this.compared = clockTimesOf(this.clock);
  }

  /** True if the wall clock was set forward past the lease since the last look, while a server answered. */
  hasLeapt(): boolean {
    if (this.isRunning) return false;
    const isLeap = this.leapMs >= this.lengthMs;
    if (!isLeap) this.compared = clockTimesOf(this.clock);
    return isLeap;
  }

  /** Milliseconds by which the wall clock was set forward since the last comparison. */
  get leapMs(): number {
    return leapMs(this.compared, this.clock);
  }

  private get lengthMs(): number {
    return leaseLengthMs(this.sessionTimeoutMs);
  }
}
