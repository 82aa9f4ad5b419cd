// Covered by test/scenario/registering.spec.ts
import type { Clock } from '../../clock/index.js';

/**
 * Lets so much work go on at once. The rest waits, in the order in which it came. Work that takes long, as one that the
 * registry refuses again and again, goes on beside the others after a while.
 */
export class WorkLimit {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  /** @param longestMs for so long work counts at most, in milliseconds */
  constructor(
    private readonly clock: Pick<Clock, 'setTimer'>,
    most: number,
    private readonly longestMs: number,
  ) {
    this.free = most;
  }

  /** @throws what the work throws */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    let isCounted = true;
    const leave = (): void => {
      if (isCounted) this.next();
      isCounted = false;
    };
    const timer = this.clock.setTimer(this.longestMs, leave);
    try {
      return await work();
    } finally {
      timer.cancel();
      leave();
    }
  }

  private next(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.free += 1;
    else next();
  }
}
