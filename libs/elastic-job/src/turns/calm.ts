import type { Clock, Timer } from '../clock/index.js';
import { Batch } from '../domain/index.js';
import { resumeInTurns } from './in-turns.js';

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
