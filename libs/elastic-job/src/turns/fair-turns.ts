import type { Clock } from '../clock/index.js';

/** Longest time for handlers before everything else gets a turn, in milliseconds. */
const MOST_MS = 50;
/** Least time of it for handlers of created jobs, in milliseconds, although the code's jobs could use all of it. */
const LEAST_CREATED_MS = 10;

/** Declared in code, or created from a template. */
export type JobKind = 'code' | 'created';

/**
 * Shares the event loop of a process among the leases of all its jobs, and with everything else.
 *
 * Handlers that never wait would all run in one turn of the event loop, however many are due: no answer of the
 * registry, no timer and no handler of another job could run in between. So after 50 ms of handlers the loop turns, and
 * the lease that has waited longest goes on. A single handler that blocks for longer cannot be interrupted. While a
 * lease waits there is urgent work, so that the ends of one trigger are recorded together.
 *
 * In each turn the jobs of the code go first. Jobs that were created from templates, of which every writer of the
 * registry can make many, get what is left, and at least 10 ms.
 */
export class FairTurns {
  private spentMs = 0;
  private serving: JobKind | undefined;
  private isServing = false;
  private readonly waiting: Readonly<Record<JobKind, (() => void)[]>> = { code: [], created: [] };

  /**
   * @param beginUrgent is called when a lease waits, and returns a function that is called when none does
   * @param onServed is called when no lease of created jobs waits any more
   */
  constructor(
    private readonly clock: Pick<Clock, 'monotonicNow' | 'nextTurn'>,
    private readonly beginUrgent: () => () => void = () => () => {},
    private readonly onServed = (): void => {},
  ) {}

  /** True while leases of such jobs wait for a turn. */
  isAwaited(kind: JobKind): boolean {
    return this.waiting[kind].length > 0;
  }

  /** True if a handler of such a job may be called now. */
  isOpen(kind: JobKind): boolean {
    if (this.spentMs >= MOST_MS) return false;
    return this.serving === kind || !(this.isAwaited('code') || (kind === 'created' && this.isAwaited('created')));
  }

  /** Calls a handler, and counts the time until it returns or waits. */
  spend(call: () => void): void {
    const before = this.clock.monotonicNow();
    call();
    this.spentMs += this.clock.monotonicNow() - before;
  }

  /** Continues a lease in a later turn, after all those of its kind that wait already. */
  later(goOn: () => void, kind: JobKind): void {
    this.waiting[kind].push(goOn);
    if (!this.isServing) void this.serveAll();
  }

  /** @throws the error of a lease, after which the others go on in the next turn */
  private async serveAll(): Promise<void> {
    this.isServing = true;
    const endUrgent = this.beginUrgent();
    try {
      while (this.isAnyAwaited) {
        await this.clock.nextTurn();
        this.spentMs = 0;
        this.serve('code');
        if (this.isAwaited('created')) this.serveCreated();
      }
    } finally {
      this.isServing = false;
      endUrgent();
      if (this.isAnyAwaited) void this.serveAll();
    }
  }

  private get isAnyAwaited(): boolean {
    return this.isAwaited('code') || this.isAwaited('created');
  }

  private serveCreated(): void {
    this.spentMs = Math.min(this.spentMs, MOST_MS - LEAST_CREATED_MS);
    try {
      this.serve('created');
    } finally {
      if (!this.isAwaited('created')) this.onServed();
    }
  }

  private serve(kind: JobKind): void {
    const waiting = this.waiting[kind];
    this.serving = kind;
    try {
      while (waiting.length > 0 && this.isOpen(kind)) waiting.shift()!();
    } finally {
      this.serving = undefined;
    }
  }
}
