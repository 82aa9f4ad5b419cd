import type { Clock, Timer } from './clock.js';

/**
 * A moment on the monotonic clock up to which waiting is allowed. It is passed on, so that several waits together last
 * no longer than one.
 */
export class Deadline {
  private constructor(
    private readonly clock: Clock,
    private readonly at: number,
  ) {}

  /** @param ms milliseconds from now */
  static after(clock: Clock, ms: number): Deadline {
    return new Deadline(clock, clock.monotonicNow() + ms);
  }

  /** Milliseconds; 0 once it has passed. */
  get leftMs(): number {
    return Math.max(0, this.at - this.clock.monotonicNow());
  }

  /** A deadline earlier by this many milliseconds, which are left to later steps. */
  less(ms: number): Deadline {
    return new Deadline(this.clock, this.at - ms);
  }

  /**
   * Waits for the work. If the deadline comes first the work goes on, and its later error is ignored.
   * @returns false if the deadline came first @throws the error of the work
   */
  async holdsFor(work: Promise<unknown>): Promise<boolean> {
    let timer: Timer | undefined;
    const passed = new Promise<boolean>((resolve) => {
      timer = this.clock.setTimer(this.leftMs, () => resolve(false));
    });
    try {
      return await Promise.race([work.then(() => true), passed]);
    } finally {
      timer?.cancel();
    }
  }
}
