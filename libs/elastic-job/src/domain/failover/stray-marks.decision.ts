import type { RunRecord } from '../run/index.js';
import type { HolderMark, ItemMarks } from './orphans.decision.js';

/** An item with marks of a living instance that does not run it. */
export interface StrayItem {
  readonly item: number;
  readonly marks: readonly HolderMark[];
  /** The unfinished run in the item's record, if it belongs to that instance. */
  readonly unfinished: RunRecord | undefined;
}

/**
 * Finds the marks of an instance on items that it neither runs nor is about to run. They were made by hand, or the end
 * of their run could not be recorded. Their holder lives, so no sweep takes them for orphans.
 * @param isRun true also for an item that is being begun or settled
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
