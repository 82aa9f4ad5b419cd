import type { Clock } from '../../clock/index.js';
import { droppedRunRecord, findStrayItems, type HolderMark, type StrayItem } from '../../domain/index.js';
import type { Operation } from '../../registry/index.js';
import { type JobTree, untilCommitted } from '../job-tree/index.js';
import { loadMarks, marksOf } from './sweep-operations.js';

/** A mark in the name of this instance, which did not run the item, is gone. */
interface ReleasedItem {
  readonly item: number;
  readonly marks: readonly HolderMark[];
  /** The run whose end was recorded as aborted with that; undefined: no run of this instance was open. */
  readonly run: string | undefined;
}

/** What a look for stray marks has come to: an item that cannot be released holds up no other. */
interface Release {
  readonly released: readonly ReleasedItem[];
  /** Marks were seen whose holder is not registered: a sweep finds out whose they are. */
  readonly isSweepNeeded: boolean;
  readonly failures: readonly unknown[];
}

/**
 * Releases marks of this instance on items that it does not run. Whatever has begun or settled the item since it was
 * read has written its record, so a release that names the record's version touches nothing of it.
 * @param items those to look at
 * @param isRun also true for what is being begun or settled
 */
export async function releaseStrayMarks(
  tree: JobTree,
  clock: Clock,
  items: readonly number[],
  isRun: (item: number) => boolean,
): Promise<Release> {
  const released: ReleasedItem[] = [];
  const failures: unknown[] = [];
  for (const { item } of await strayItems(tree, items, isRun)) {
    const releasing = untilCommitted(tree, 'the release of a mark', async () => {
      const [stray] = await strayItems(tree, [item], isRun);
      if (stray === undefined) return 'none';
      const { operations, run } = release(tree, stray, clock.wallNow());
      const result = await tree.commit(operations);
      return result.kind === 'committed' ? { item, marks: stray.marks, run } : undefined;
    });
    await releasing.then(
      (one) => one !== 'none' && released.push(one),
      (error: unknown) => failures.push(error),
    );
  }
  return { released, isSweepNeeded: hasUnknownHolders(tree, items), failures };
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
  const data = tree.recordText(droppedRunRecord(unfinished, at, 'released'));
  const settle: Operation = { kind: 'set', path: tree.paths.record(item), data, version: tree.record(item)!.version };
  return { operations: [settle, ...removals], run: unfinished.run };
}
