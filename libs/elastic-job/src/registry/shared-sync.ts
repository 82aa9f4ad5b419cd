import type { Clock } from '../clock/index.js';

/** So many go on in one turn: between two of them the process hears its registry, and its timers come. */
const AT_ONCE = 80;

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * One request for all that want to see what was committed until now. It leaves at the end of the turn in which the
 * first of them asks; those that ask after it has left share the next one. Once it is answered they go on in the order
 * in which they have asked, some in each turn.
 */
export class SharedSync {
  private waiting: Waiter[] = [];

  /** @param send sends a sync at once; when it resolves, all that was committed before has been heard */
  constructor(
    private readonly send: () => Promise<void>,
    private readonly clock: Clock,
  ) {}

  /** @throws what `send` throws */
  sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.waiting.push({ resolve, reject }) === 1) void this.sendNext();
    });
  }

  private async sendNext(): Promise<void> {
    await this.clock.nextTurn();
    const waiting = this.waiting;
    this.waiting = [];
    try {
      await this.send();
    } catch (error) {
      for (const { reject } of waiting) reject(error);
      return;
    }
    for (let next = 0; next < waiting.length; next += AT_ONCE) {
      if (next > 0) await this.clock.nextTurn();
      for (const { resolve } of waiting.slice(next, next + AT_ONCE)) resolve();
    }
  }
}
