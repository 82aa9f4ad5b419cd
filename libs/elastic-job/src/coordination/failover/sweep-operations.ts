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
  const marked = items.filter((item) => tree.isMarked(item));
  const paths = marked.flatMap((item) =>
    [...HOLDER_MARKS, 'record' as const].map((name) => tree.paths.mark(item, name)),
  );
  return tree.load(paths, { signal });
}

/** The loaded marks of items. */
export function marksOf(tree: JobTree, items: readonly number[] = tree.items()): ItemMarks[] {
  return items.map((item) => {
    const holders = new Map<HolderMark, string>();
    for (const mark of HOLDER_MARKS) {
      const node = tree.node(tree.paths.mark(item, mark));
      if (node !== undefined) holders.set(mark, node.data);
    }
    return { item, stored: tree.record(item)?.stored ?? { kind: 'none' }, holders };
  });
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

// A Java peer that has taken the item since it was read bears a failover mark: that there is none is proved by creating
// it.
function proveUntouched(tree: JobTree, orphan: PlacedOrphan, at: number): Operation[] {
  const { item } = orphan;
  const record = recordOperation(tree, orphan, at);
  const taken = tree.paths.mark(item, 'failover');
  if (!tree.company.changesMarksAlone || tree.has(taken)) return [record];
  return [record, { kind: 'create', path: taken, data: '', mode: 'PERSISTENT' }, { kind: 'delete', path: taken }];
}

// The record of a lost run is written anew, so that no begin overlooks the sweep; Java's runs are in no record.
function recordOperation(tree: JobTree, { item, run, place }: PlacedOrphan, at: number): Operation {
  if (run === undefined) return tree.recordAsRead(item);
  const path = tree.paths.record(item);
  const { data, stat } = tree.node(path)!;
  const text = place === 'overflow' ? tree.recordText(droppedRunRecord(run, at, 'overflow')) : data;
  return { kind: 'set', path, data: text, version: stat.version };
}
