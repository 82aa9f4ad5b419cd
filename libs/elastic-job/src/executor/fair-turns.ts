import type { Clock } from '../clock/index.js';

/** Longest time for handlers before everything else gets a turn, in milliseconds. */
const MOST_MS = 50;

/**
 * Shares the event loop of a process among the leases of all its jobs, and with everything else.
 *
 * Handlers that never wait would all run in one turn of the event loop, however many are due: no answer of the
 * registry, no timer and no handler of another job could run in between. So after 50 ms of handlers the loop turns, and
 * the lease that has waited longest goes on. A single handler that blocks for longer cannot be interrupted. While a
 * lease waits there is urgent work, so that the ends of one trigger are recorded together.
 */
export class FairTurns {
  private spentMs = 0;
  private isServing = false;
  private readonly waiting: (() => void)[] = [];

  /** @param beginUrgent is called when a lease waits, and returns a function that is called when none does */
  constructor(
    private readonly clock: Pick<Clock, 'monotonicNow' | 'nextTurn'>,
    private readonly beginUrgent: () => () => void = () => () => {},
  ) {}

  /** True if a handler may be called now. */
  get isOpen(): boolean {
    return this.spentMs < MOST_MS && (this.isServing || this.waiting.length === 0);
  }

  /** Calls a handler, and counts the time until it returns or waits. */
  spend(call: () => void): void {
    const before = this.clock.monotonicNow();
    call();
    this.spentMs += this.clock.monotonicNow() - before;
  }

  /** Continues a lease in a later turn, after all those that wait already. */
  later(goOn: () => void): void {
    if (this.waiting.push(goOn) === 1 && !this.isServing) void this.serveAll();
  }

  private async serveAll(): Promise<void> {
    const endUrgent = this.beginUrgent();
    while (this.waiting.length > 0) {
      await this.clock.nextTurn();
      this.spentMs = 0;
      this.isServing = true;
      while (this.waiting.length > 0 && this.isOpen) this.waiting.shift()!();
      this.isServing = false;
    }
    endUrgent();
  }
}
