import type { Clock, Timer } from '../clock/index.js';
import { Batch } from '../domain/index.js';

/** Milliseconds after which a caller waits no more. */
const MOST_PATIENCE_MS = 200;

/**
 * Callers whose work may come after more urgent work. They resume in the order of their calls, some in each turn of the
 * event loop.
 */
export class Calm {
  private readonly waiting = new Batch<() => void>();
  /** Callers that wait only for their turn. */
  private readonly released = new Batch<() => void>();
  /** Timer that ends the patience. */
  private alarm: Timer | undefined;
  private isResuming = false;
  /** Pieces of urgent work under way. */
  private urgent = 0;
  private begun = 0;

  constructor(private readonly clock: Clock) {}

  /** Number of bursts so far. A burst is urgent work from one calm to the next. */
  get bursts(): number {
    return this.begun;
  }

  /** Call it when a piece of urgent work begins. */
  begin(): void {
    if (this.urgent === 0) this.begun += 1;
    this.urgent += 1;
  }

  /** Call it when a piece of urgent work has ended. */
  end(): void {
    this.urgent -= 1;
    if (this.urgent === 0) void this.resume();
  }

  /** Resolves in a later turn, once no urgent work is under way, or after 200 ms. Never rejects. */
  until(): Promise<void> {
    return new Promise((resolve) => {
      if (this.waiting.add(resolve) > 1) return;
      this.alarm = this.clock.setTimer(MOST_PATIENCE_MS, () => {
        this.release();
        void this.resume();
      });
      void this.resume();
    });
  }

  /** Resumes callers if it is calm in the next turn. */
  private async resume(): Promise<void> {
    if (this.isResuming || this.waiting.size + this.released.size === 0) return;
    this.isResuming = true;
    do {
      // In this turn callers that waited for the urgent work may begin more of it.
      await this.clock.nextTurn();
      if (this.urgent === 0) this.release();
      await resumeInTurns(this.clock, this.released.take(), (resolve) => resolve());
    } while (this.released.size > 0 || (this.urgent === 0 && this.waiting.size > 0));
    this.isResuming = false;
  }

  private release(): void {
    for (const resolve of this.waiting.take()) this.released.add(resolve);
    this.alarm?.cancel();
  }
}

/** Callers, and milliseconds, of one turn. Between two turns the process serves its connections and its timers. */
const AT_ONCE = 160;
const LONGEST_TURN_MS = 12;

/**
 * Resumes callers in their order, some in each turn of the event loop, the first ones at once. Each goes on until it
 * waits for an event before the next one resumes, so that the requests of the first leave while the last still wait.
 */
export async function resumeInTurns<T>(
  clock: Pick<Clock, 'monotonicNow' | 'nextTurn'>,
  callers: readonly T[],
  resume: (caller: T) => void,
): Promise<void> {
  let left = AT_ONCE;
  let end = clock.monotonicNow() + LONGEST_TURN_MS;
  for (const caller of callers) {
    if (left === 0 || clock.monotonicNow() > end) {
      await clock.nextTurn();
      left = AT_ONCE;
      end = clock.monotonicNow() + LONGEST_TURN_MS;
    }
    left -= 1;
    resume(caller);
    await promisesAtRest();
  }
}

/** Resolves when no promise has a continuation left to run in this turn. */
function promisesAtRest(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
