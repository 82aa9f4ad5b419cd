import {
  droppedRunRecord,
  HOLDER_MARKS,
  type HolderMark,
  type ItemMarks,
  type PlacedOrphan,
} from '../../domain/index.js';
import type { Operation } from '../../registry/index.js';
import type { JobTree } from '../job-tree/index.js';

/** The marks by which items are held, and the records of those items. @see JobTree.load */
export function loadMarks(
  tree: JobTree,
  signal: AbortSignal,
  items: readonly number[] = tree.items(),
): Promise<boolean> {
  const paths = items.flatMap((item) => {
    const marks = HOLDER_MARKS.map((mark) => tree.paths.mark(item, mark)).filter((path) => tree.has(path));
    return marks.length > 0 ? [...marks, tree.paths.record(item)] : [];
  });
  return tree.load(paths, { signal });
}

/** The loaded marks of every item that has any. */
export function* marksOf(tree: JobTree, items: readonly number[] = tree.items()): Iterable<ItemMarks> {
  for (const item of items) {
    const holders = new Map<HolderMark, string>();
    for (const mark of HOLDER_MARKS) {
      const node = tree.node(tree.paths.mark(item, mark));
      if (node !== undefined) holders.set(mark, node.data);
    }
    if (holders.size > 0) yield { item, stored: tree.record(item)?.stored ?? { kind: 'none' }, holders };
  }
}

/**
 * What drops an orphan's stale marks and puts it into its place, unless the item has got on since it was read.
 * @param at milliseconds since the epoch: when an item that found no place is told to have ended
 */
export function sweepOperations(tree: JobTree, orphan: PlacedOrphan, at: number): Operation[] {
  const { paths } = tree;
  const { item, stale, place } = orphan;
  const operations = [
    ...proveUntouched(tree, orphan, at),
    ...stale.map((mark): Operation => ({ kind: 'delete', path: paths.mark(item, mark) })),
  ];
  if (place === 'queue') operations.push({ kind: 'create', path: paths.queued(item), data: '', mode: 'PERSISTENT' });
  return operations;
}

// The record of a lost run is written anew, so that no begin overlooks the sweep; Java's runs are in no record. A Java
// peer that has taken the item since it was read bears a failover mark: that there is none is proved by creating it.
function proveUntouched(tree: JobTree, { item, isRecorded, place }: PlacedOrphan, at: number): Operation[] {
  const path = tree.paths.record(item);
  const text = place === 'overflow' ? droppedText(tree, item, at) : (tree.node(path)?.data ?? '');
  const rewritten: Operation = { kind: 'set', path, data: text, version: tree.record(item)!.version };
  const record = isRecorded ? rewritten : tree.recordAsRead(item);
  const taken = tree.paths.mark(item, 'failover');
  if (!tree.company.changesMarksAlone || tree.has(taken)) return [record];
  return [record, { kind: 'create', path: taken, data: '', mode: 'PERSISTENT' }, { kind: 'delete', path: taken }];
}

function droppedText(tree: JobTree, item: number, at: number): string {
  const stored = tree.record(item)?.stored;
  return stored?.kind === 'record' ? tree.recordText(droppedRunRecord(stored.record, at, 'overflow')) : '';
}
