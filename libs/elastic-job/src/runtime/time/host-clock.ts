import type { Clock } from '../../clock/index.js';

/** A wall clock that moved by more milliseconds than this against the monotonic clock was set. */
const STEP_MS = 1_000;

/** The host's wall clock. Once it was set forward it goes on as before until it is judged, so that nothing is early. */
export class HostClock {
  /** Milliseconds by which the wall clock was ahead of the monotonic one when it was last judged. */
  private judgedMs: number;
  private isBeingJudged = false;

  constructor(private readonly clock: Pick<Clock, 'monotonicNow' | 'wallNow'>) {
    this.judgedMs = this.distanceMs;
  }

  /** True if it was set since it was last judged, and nobody judges it. */
  get wasSet(): boolean {
    return !this.isBeingJudged && this.isOff;
  }

  wallNow(): number {
    const { clock } = this;
    const isAsBefore = this.isBeingJudged || this.isOff;
    const asBefore = isAsBefore ? Math.floor(clock.monotonicNow() + this.judgedMs) : Infinity;
    return Math.min(clock.wallNow(), asBefore);
  }

  /** Takes it as it is once the judgement has ended. @param judge must not reject */
  async judgedBy(judge: () => Promise<void>): Promise<void> {
    this.isBeingJudged = true;
    await judge();
    this.isBeingJudged = false;
    this.judgedMs = this.distanceMs;
  }

  private get isOff(): boolean {
    return Math.abs(this.distanceMs - this.judgedMs) > STEP_MS;
  }

  private get distanceMs(): number {
    return this.clock.wallNow() - this.clock.monotonicNow();
  }
}
