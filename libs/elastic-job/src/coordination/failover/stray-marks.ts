import type { Clock } from '../../clock/index.js';
import { droppedRunRecord, findStrayItems, type HolderMark, type StrayItem } from '../../domain/index.js';
import type { Operation } from '../../registry/index.js';
import { progressOperations } from '../execution/index.js';
import { type JobTree, untilCommitted } from '../job-tree/index.js';
import { repeat } from '../../repeat/index.js';
import { loadMarks, marksOf } from './orphan-sweep.js';

/** An item whose stray marks, in the name of this instance, were removed. */
interface ReleasedItem {
  readonly item: number;
  readonly marks: readonly HolderMark[];
  /** Run whose end was recorded as aborted with that; undefined if no run of this instance was open. */
  readonly run: string | undefined;
}

/**
 * Releases marks of this instance on items that it does not run, one item after the other. A begin or settle since the
 * read has written the item's record, so a release against the record's version never touches it.
 * @param items the items to look at
 * @param isRun true also for an item being begun or settled
 * @param onReleased called with each item whose marks are gone
 * @returns true if marks were seen whose holder is not registered, so that a sweep must judge them
 */
export async function releaseStrayMarks(
  tree: JobTree,
  clock: Clock,
  items: readonly number[],
  isRun: (item: number) => boolean,
  onReleased: (released: ReleasedItem) => void,
): Promise<boolean> {
  for (const { item } of await strayItems(tree, items, isRun)) {
    const released = await repeat(untilCommitted(tree, 'the release of a mark'), async () => {
      const [stray] = await strayItems(tree, [item], isRun);
      if (stray === undefined) return 'none';
      const { operations, run } = release(tree, stray, clock.wallNow());
      const result = await tree.commit(operations);
      return result.kind === 'committed' ? { item, marks: stray.marks, run } : undefined;
    });
    if (released !== 'none') onReleased(released);
  }
  return hasUnknownHolders(tree, items);
}

function hasUnknownHolders(tree: JobTree, items: readonly number[]): boolean {
  const holders = marksOf(tree, items).flatMap((marks) => [...marks.holders.values()]);
  return holders.some((id) => !tree.hasInstance(id) && !tree.hasSession(id));
}

async function strayItems(
  tree: JobTree,
  items: readonly number[],
  isRun: (item: number) => boolean,
): Promise<readonly StrayItem[]> {
  while (!(await loadMarks(tree, tree.signal, items))) await tree.sync({ signal: tree.signal });
  return findStrayItems(marksOf(tree, items), tree.self.jobInstanceId, isRun);
}

function release(
  tree: JobTree,
  { item, marks, unfinished }: StrayItem,
  at: number,
): { readonly operations: readonly Operation[]; readonly run: string | undefined } {
  const removals = marks.map((mark): Operation => ({ kind: 'delete', path: tree.paths.mark(item, mark) }));
  if (unfinished === undefined) return { operations: [tree.recordAsRead(item), ...removals], run: undefined };
  const dropped = droppedRunRecord(unfinished, at, 'released');
  const { version } = tree.record(item)!;
  const settle: Operation = { kind: 'set', path: tree.paths.record(item), data: tree.recordText(dropped), version };
  return { operations: [settle, ...progressOperations(tree, item, dropped), ...removals], run: unfinished.run };
}
