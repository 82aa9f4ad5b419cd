import type { Clock } from '../clock/index.js';

/**
 * Limits work that runs at once; the rest waits in order. Work that takes long, for example because the registry keeps
 * refusing it, stops counting after a while and runs beside the others.
 */
export class WorkLimit {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  /** @param longestMs milliseconds for which one piece of work counts at most */
  constructor(
    private readonly clock: Pick<Clock, 'setTimer'>,
    most: number,
    private readonly longestMs: number,
  ) {
    this.free = most;
  }

  /** @throws the error of the work */
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
