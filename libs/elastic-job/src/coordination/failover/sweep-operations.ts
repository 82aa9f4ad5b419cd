import {
  droppedRunRecord,
  HOLDER_MARKS,
  type HolderMark,
  type ItemMarks,
  type OrphanPlace,
  type PlacedOrphan,
  type RunRecord,
  stoppedRunRecord,
  stopOf,
} from '../../domain/index.js';
import type { Operation } from '../../registry/index.js';
import type { JobTree } from '../job-tree/index.js';

/** Loads the marks by which items are held, and the records of those items. @see JobTree.load */
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

/** Loaded marks of items. */
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
 * Operations that remove an orphan's stale marks and put it into its place, unless the item was begun or settled since
 * it was read.
 * @param at end of an orphan that is not repeated, in milliseconds since the epoch
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

// A Java peer that has taken the item since it was read has created a failover mark; its absence is proved by creating
// it.
function proveUntouched(tree: JobTree, orphan: PlacedOrphan, at: number): Operation[] {
  const { item } = orphan;
  const record = recordOperation(tree, orphan, at);
  const taken = tree.paths.mark(item, 'failover');
  if (!tree.company.changesMarksAlone || tree.has(taken)) return [record];
  return [record, { kind: 'create', path: taken, data: '', mode: 'PERSISTENT' }, { kind: 'delete', path: taken }];
}

// Rewrites the record of a lost run, so that no begin overlooks the sweep. Runs of Java have no record.
function recordOperation(tree: JobTree, { item, run, place }: PlacedOrphan, at: number): Operation {
  if (run === undefined) return tree.recordAsRead(item);
  const path = tree.paths.record(item);
  const { data, stat } = tree.node(path)!;
  const dropped = droppedRecord(run, place, at);
  return { kind: 'set', path, data: dropped ? tree.recordText(dropped) : data, version: stat.version };
}

/** The end of a run that is not repeated; undefined if it is, or has ended before. */
function droppedRecord(run: RunRecord, place: OrphanPlace, at: number): RunRecord | undefined {
  const stop = stopOf(run);
  if (place === 'stopped' && stop !== undefined) return stoppedRunRecord(run, at, stop);
  return place === 'overflow' ? droppedRunRecord(run, at, 'overflow') : undefined;
}
