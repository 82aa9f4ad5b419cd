import type { SettledOutcome } from '../../domain/index.js';

/** Runs of one item that have failed without a success between them; instants of the monotonic clock. */
interface FailedRuns {
  readonly first: number;
  readonly last: number;
}

/** Items of one job of which the last run here has failed. */
export class FailingItems {
  /** Undefined until one fails. */
  private failed: Map<number, FailedRuns> | undefined;

  /** Notes the end of a run. One that was cut short does not tell if the item's work can succeed. */
  note(item: number, outcome: SettledOutcome['kind'], now: number): void {
    if (outcome === 'failed') {
      this.failed ??= new Map();
      this.failed.set(item, { first: this.failed.get(item)?.first ?? now, last: now });
    } else if (outcome !== 'aborted') this.failed?.delete(item);
  }

  /**
   * Longest time from the first to the last failure of an item, in milliseconds; 0 if none has failed twice in a row.
   * Other items than these are forgotten, since their next runs are told elsewhere.
   */
  longestMs(ownItems: readonly number[]): number {
    if (this.failed === undefined) return 0;
    const own = new Set(ownItems);
    for (const item of this.failed.keys()) if (!own.has(item)) this.failed.delete(item);
    return Math.max(0, ...[...this.failed.values()].map(({ first, last }) => last - first));
  }
}
