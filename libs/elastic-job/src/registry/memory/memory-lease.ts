import type { Clock, Timer } from '../../clock/index.js';
import { leapMs, leaseLengthMs, type Moment, momentOf, SessionLease } from '../session-lease.js';

/**
 * The lease of a client whose server answers at once, or not at all: it has its full length while a server answers, and
 * runs while none does.
 */
export class MemoryLease extends SessionLease {
  private isRunning = false;
  /** When the clocks were compared last, while a server answered. */
  private compared: Moment;
  private timer?: Timer;

  constructor(
    clock: Clock,
    private readonly sessionTimeoutMs: number,
    private readonly over: () => void,
  ) {
    super(clock);
    this.compared = momentOf(clock);
  }

  /** How long this process may believe in the session: counts down while no server answers, else it is constant. */
  beliefMs(): number {
    return this.isRunning ? this.remainingMs() : this.lengthMs;
  }

  /** No server answers from now on. @param aheadMs what the wall clock was set forward by since one has answered */
  run(aheadMs = 0): void {
    if (this.isRunning) return;
    const { monotonicMs, wallMs } = momentOf(this.clock);
    this.isRunning = true;
    this.grant(this.sessionTimeoutMs, { monotonicMs, wallMs: wallMs - aheadMs });
  }

  /** Runs on from when it began to run last. */
  runOn(): void {
    this.isRunning = true;
    this.awaitEnd();
  }

  /** Calls `over` once the session has to be given up, unless `stopWaiting` or `stop` comes first. */
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

  /** A server answers again. */
  stop(): void {
    this.isRunning = false;
    this.stopWaiting();
  }

  /** A server has granted or confirmed a session, or there is none any more. */
  renew(): void {
    this.isRunning = false;
    this.compared = momentOf(this.clock);
  }

  /** While a server answers: whether the wall clock was set forward past the lease since the last look. */
  hasLeapt(): boolean {
    if (this.isRunning) return false;
    const isLeap = this.leapMs >= this.lengthMs;
    if (!isLeap) this.compared = momentOf(this.clock);
    return isLeap;
  }

  /** How far the wall clock was set forward since the clocks were compared last. */
  get leapMs(): number {
    return leapMs(this.compared, this.clock);
  }

  private get lengthMs(): number {
    return leaseLengthMs(this.sessionTimeoutMs);
  }
}
