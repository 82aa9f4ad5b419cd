import {
  droppedRunRecord,
  HOLDER_MARKS,
  type HolderMark,
  type ItemMarks,
  type OrphanPlace,
  parseCancelRequest,
  type PlacedOrphan,
  type RunRecord,
  stoppedRunRecord,
  stopOf,
  type StoredRecord,
  toldRunRecord,
} from '../../domain/index.js';
import type { Operation } from '../../registry/index.js';
import type { JobTree } from '../job-tree/index.js';

/** Loads the marks by which items are held, and the records and cancels of those items. @see JobTree.load */
export function loadMarks(
  tree: JobTree,
  signal: AbortSignal,
  items: readonly number[] = tree.items(),
): Promise<boolean> {
  const marked = items.filter((item) => tree.isMarked(item));
  const paths = marked.flatMap((item) =>
    [...HOLDER_MARKS, 'record' as const].map((name) => tree.paths.mark(item, name)),
  );
  const cancelled = marked.filter((item) => tree.isCancelled(item));
  if (paths.length > 0) paths.push(tree.paths.cancels, ...cancelled.map((item) => tree.paths.cancel(item)));
  return tree.load(paths, { signal });
}

/** Operations that are refused if an operator has cancelled a run since the marks were loaded. */
export function cancelsAsLoaded(tree: JobTree): Operation[] {
  const path = tree.paths.cancels;
  if (!tree.has(path)) return [{ kind: 'absent', path }];
  return [{ kind: 'check', path, version: tree.stat(path)?.version }];
}

/** Loaded marks of items. */
export function marksOf(tree: JobTree, items: readonly number[] = tree.items()): ItemMarks[] {
  return items.map((item) => {
    const holders = new Map<HolderMark, string>();
    for (const mark of HOLDER_MARKS) {
      const node = tree.node(tree.paths.mark(item, mark));
      if (node !== undefined) holders.set(mark, node.data);
    }
    return { item, stored: storedOf(tree, item), holders };
  });
}

/** The record, which says that the run was cancelled also if its holder has not heard of that. */
function storedOf(tree: JobTree, item: number): StoredRecord {
  const stored = tree.record(item)?.stored ?? { kind: 'none' };
  const request = tree.isCancelled(item) ? tree.node(tree.paths.cancel(item)) : undefined;
  if (stored.kind === 'none' || request === undefined) return stored;
  const { record } = stored;
  const { run, isConfirmedLost } = parseCancelRequest(request.data);
  if (run !== record.run || isConfirmedLost || record.settled !== undefined || stopOf(record) !== undefined) {
    return stored;
  }
  return { kind: 'record', record: toldRunRecord(record, 'cancelled') };
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

// A Java peer that has taken the item since it was read has created a failover mark.
function proveUntouched(tree: JobTree, orphan: PlacedOrphan, at: number): Operation[] {
  const { item } = orphan;
  const record = recordOperation(tree, orphan, at);
  const taken = tree.paths.mark(item, 'failover');
  if (!tree.company.changesMarksAlone || tree.has(taken)) return [record];
  return [record, { kind: 'absent', path: taken }];
}

// Rewrites the record of a lost run, so that no begin overlooks the sweep. Runs of Java have no record.
function recordOperation(tree: JobTree, { item, run, place }: PlacedOrphan, at: number): Operation {
  if (run === undefined) return tree.recordAsRead(item);
  const path = tree.paths.record(item);
  const { data, stat } = tree.node(path)!;
  const swept = sweptRecord(run, place, at);
  return { kind: 'set', path, data: swept ? tree.recordText(swept) : data, version: stat.version };
}

/** The end of a run that is not repeated, or the stop of one whose task is adopted; undefined: the record stays. */
function sweptRecord(run: RunRecord, place: OrphanPlace, at: number): RunRecord | undefined {
  if (place === 'overflow') return droppedRunRecord(run, at, 'overflow');
  const stop = stopOf(run);
  if (stop === undefined) return undefined;
  return place === 'stopped' ? stoppedRunRecord(run, at, stop) : run;
}
