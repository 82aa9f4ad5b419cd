import { SparseMap } from '../../domain/index.js';
import type { SettleQueue } from './settle-queue.js';

/** Work of this instance for one job in one session. */
export interface OwnWork {
  readonly runs: OwnRuns;
  readonly settles: SettleQueue;
}

/**
 * Items of one job and session that this instance has begun, or is about to begin, and whose end is not known yet. A
 * mark in its name on any other item is stray.
 */
export class OwnRuns {
  private readonly runs = new SparseMap<number, number>();

  has(item: number): boolean {
    return this.runs.has(item);
  }

  enter(items: Iterable<number>): void {
    for (const item of items) this.runs.set(item, (this.runs.get(item) ?? 0) + 1);
  }

  leave(items: Iterable<number>): void {
    for (const item of items) {
      const left = (this.runs.get(item) ?? 1) - 1;
      if (left > 0) this.runs.set(item, left);
      else this.runs.delete(item);
    }
  }
}
