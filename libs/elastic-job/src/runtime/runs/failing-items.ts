import type { JobTree } from '../../coordination/index.js';
import type { News } from '../news/index.js';

/** Runs of one item that have failed without a success between them; instants of the monotonic clock. */
interface FailedRuns {
  readonly first: number;
  readonly last: number;
}

/** Items of which the last run here in this session has failed. One that moves to another instance begins anew. */
export class FailingItems {
  /** Undefined until one fails. */
  private failed: Map<number, FailedRuns> | undefined;

  constructor(private readonly tree: JobTree) {}

  /** A run that was cut short does not tell if the item's work can succeed. */
  itemSettled({ item, outcome }: News<'ItemSettled'>): void {
    if (outcome === 'failed') {
      const now = this.tree.clock.monotonicNow();
      this.failed ??= new Map();
      this.failed.set(item, { first: this.failed.get(item)?.first ?? now, last: now });
    } else if (outcome !== 'aborted') this.failed?.delete(item);
  }

  ownerChanged({ item }: News<'OwnerChanged'>): void {
    this.forgetIfMoved(item);
  }

  treeReset(): void {
    this.failed?.forEach((_, item) => this.forgetIfMoved(item));
  }

  /**
   * Longest time from the first to the last failure of an item that this instance may run, in milliseconds; 0 if none
   * has failed twice in a row.
   */
  get longestMs(): number {
    const { failed } = this;
    if (failed === undefined) return 0;
    const own = this.tree.ownItems().flatMap((item) => failed.get(item) ?? []);
    return Math.max(0, ...own.map(({ first, last }) => last - first));
  }

  private forgetIfMoved(item: number): void {
    const { tree } = this;
    if (tree.owner(item) !== tree.self.jobInstanceId) this.failed?.delete(item);
  }
}
