/** How far an open re-run has come. */
import type { OpenRerunAnswer } from '../../../src/console/contract/answers.js';

export interface ItemProgress {
  readonly item: number;
  readonly ended: number;
  /** Of those that have ended. */
  readonly failed: number;
  readonly left: number;
}

export interface Progress {
  readonly ended: number;
  readonly failed: number;
  readonly total: number;
  readonly left: number;
  /** By item, ascending. */
  readonly items: readonly ItemProgress[];
}

/** An item of which nothing has ended has no progress as yet. */
export function progressOf({ fireTimes, items: all, progress, targets }: OpenRerunAnswer): Progress {
  const known = new Map(progress.map((one) => [one.item, one]));
  const items = all
    .map((item) => {
      const { ended = 0, failed = 0 } = known.get(item) ?? {};
      return { item, ended, failed, left: Math.max(0, fireTimes.length - ended) };
    })
    .toSorted((a, b) => a.item - b.item);
  const sum = (of: (one: ItemProgress) => number) => items.reduce((total, one) => total + of(one), 0);
  const ended = sum((one) => one.ended);
  return { ended, failed: sum((one) => one.failed), total: targets, left: Math.max(0, targets - ended), items };
}
