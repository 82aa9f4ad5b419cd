import type { Clock } from '../clock/index.js';
import { Batch } from '../domain/index.js';
import type { Calm } from './calm.js';
import { resumeInTurns } from './in-turns.js';
import { ownWait, type Waiter } from './own-wait.js';
import type { RequestOptions } from './registry-center.js';

/**
 * One sync request shared by all callers that need the latest commits. It leaves at the end of the turn in which the
 * first one asks; callers that ask after it left share the next one. Once it is answered, callers resume in the order
 * of their calls, some in each turn, and until the last one has there is no calm.
 */
export class SharedSync {
  private readonly waiting = new Batch<Waiter<void>>();

  /** @param send sends a sync at once; when it resolves, every earlier commit has been heard */
  constructor(
    private readonly send: () => Promise<void>,
    private readonly clock: Clock,
    private readonly calm: Calm,
  ) {}

  /**
   * Waits for the shared sync. The signal and the limit withdraw this caller alone; if no caller is left, nothing is
   * sent.
   * @param operation the request, as an error names it
   * @throws the error of `send`, or the reason that ends the wait
   */
  sync(operation: string, options: RequestOptions = {}): Promise<void> {
    return ownWait(this.clock, operation, options, (waiter) => {
      if (this.waiting.add(waiter) === 1) void this.sendNext();
    });
  }

  private async sendNext(): Promise<void> {
    await this.clock.nextTurn();
    const waiting = this.waiting.take().filter(({ isOver }) => !isOver);
    if (waiting.length === 0) return;
    try {
      await this.send();
    } catch (error) {
      for (const waiter of waiting) waiter.reject(error);
      return;
    }
    this.calm.begin();
    await resumeInTurns(this.clock, waiting, (waiter) => waiter.resolve());
    this.calm.end();
  }
}
