import type { Clock } from '../clock/index.js';
import { ownWait, type Waiter } from './own-wait.js';
import type { RequestOptions } from './registry-center.js';

/** So many go on in one turn: between two of them the process hears its registry, and its timers come. */
const AT_ONCE = 80;

/**
 * One request for all that want to see what was committed until now. It leaves at the end of the turn in which the
 * first of them asks; those that ask after it has left share the next one. Once it is answered they go on in the order
 * in which they have asked, some in each turn.
 */
export class SharedSync {
  private waiting: Waiter<void>[] = [];

  /** @param send sends a sync at once; when it resolves, all that was committed before has been heard */
  constructor(
    private readonly send: () => Promise<void>,
    private readonly clock: Clock,
  ) {}

  /**
   * The signal and the limit withdraw this caller alone. If nobody is left, nothing is sent.
   * @param operation in the words of an error
   * @throws what `send` throws, and what ends the wait
   */
  sync(operation: string, options: RequestOptions = {}): Promise<void> {
    return ownWait(this.clock, operation, options, (waiter) => {
      if (this.waiting.push(waiter) === 1) void this.sendNext();
    });
  }

  private async sendNext(): Promise<void> {
    await this.clock.nextTurn();
    const waiting = this.waiting.filter(({ isOver }) => !isOver);
    this.waiting = [];
    if (waiting.length === 0) return;
    try {
      await this.send();
    } catch (error) {
      for (const waiter of waiting) waiter.reject(error);
      return;
    }
    for (let next = 0; next < waiting.length; next += AT_ONCE) {
      if (next > 0) await this.clock.nextTurn();
      for (const waiter of waiting.slice(next, next + AT_ONCE)) waiter.resolve();
    }
  }
}
