import type { Clock } from '../clock/index.js';

/**
 * Moments on the monotonic clock at which fire times have come. The wall clock shows whole milliseconds, so the first
 * of several jobs that asks for a fire time knows it best.
 */
export class FireMoments {
  /** The last fire time that was asked for. */
  private last: { readonly fireTime: number; readonly latest: number } | undefined;

  constructor(private readonly clock: Pick<Clock, 'monotonicNow' | 'wallNow'>) {}

  /**
   * The latest moment at which a fire time can have come that has come.
   * @param dueAt when its timer was due, which counts if the wall clock was set forward
   */
  of(fireTime: number, dueAt: number): number {
    const latest = this.clock.monotonicNow() - (this.clock.wallNow() - fireTime);
    if (this.last?.fireTime !== fireTime || latest < this.last.latest) this.last = { fireTime, latest };
    // A timer is due up to a millisecond later than its instant, by which timers of one instant differ.
    return Math.max(dueAt - 1, this.last.latest);
  }
}
