import type { RunRecord } from '../run/index.js';
import type { HolderMark, ItemMarks } from './orphans.decision.js';

/** An item with marks of an instance that lives and does not run it. */
export interface StrayItem {
  readonly item: number;
  readonly marks: readonly HolderMark[];
  /** The run in the item's record, if it is that instance's and its end is not recorded. */
  readonly unfinished: RunRecord | undefined;
}

/**
 * Names the marks of an instance on items that it neither runs nor is about to: somebody has made them by hand, or
 * their run has ended and nobody could record that. Their holder lives, so no sweep ever calls them orphans.
 * @param isRun also true for what is being begun or settled
 */
export function findStrayItems(
  marks: Iterable<ItemMarks>,
  instanceId: string,
  isRun: (item: number) => boolean,
): StrayItem[] {
  const strays: StrayItem[] = [];
  for (const { item, stored, holders } of marks) {
    const own = [...holders].filter(([, holder]) => holder === instanceId).map(([mark]) => mark);
    if (own.length === 0 || isRun(item)) continue;
    const isUnfinished =
      stored.kind === 'record' && stored.record.by === instanceId && stored.record.settled === undefined;
    strays.push({ item, marks: own, unfinished: isUnfinished ? stored.record : undefined });
  }
  return strays;
}
