/**
 * Progress of items with re-runs, as far as the end of a run writes it.
 *
 * State: `reruns/{id}/{item}`, how many fire times of the re-run have ended for the item.
 *
 * Guarantees: the transaction that records the final end of a run of a re-run also writes the progress. It proves the
 * version of the item's record, so no two ends write the same progress, and an item may move, or be begun for anything
 * else, in between. If the record is read first and the progress after it, both belong together, or a write against the
 * record's version is refused.
 *
 * Failures: an instance of a release before re-runs may end a run by failover, and writes no progress. The record shows
 * the end until the item is begun again, so the next owner notes it (`noteEndedTarget`). If the re-run was withdrawn
 * and is gone, the end is recorded without it.
 */
import {
  formatRerunProgress,
  nextRerunTarget,
  progressAfter,
  rerunIdOf,
  type RunRecord,
  type Target,
} from '../../domain/index.js';
import { creation, type Operation, type RequestOptions } from '../../registry/index.js';
import type { JobTree } from '../job-tree/index.js';

const NO_PATHS: readonly string[] = [];

/** Nodes that the end of a run reads and writes beside those of its item; none if it is no run of a re-run. */
export function progressPaths({ paths }: JobTree, item: number, { target }: RunRecord): readonly string[] {
  const id = rerunIdOf(target.origin);
  return id === undefined ? NO_PATHS : [paths.rerun(id), paths.rerunItem(id, item)];
}

/** True if the values of these nodes are known, as far as they exist. */
export function areKnown(tree: JobTree, paths: readonly string[]): boolean {
  return paths.every((path) => !tree.has(path) || tree.node(path) !== undefined);
}

/**
 * Loads what the ends of the runs in the items' records have to write, with a request only if one is a run of a re-run
 * that is not known.
 * @param loaded paths that were loaded before, among them the records
 * @returns false if something has changed again meanwhile: sync and read again
 */
export async function loadProgress(
  tree: JobTree,
  items: readonly number[],
  loaded: readonly string[],
  options?: RequestOptions,
): Promise<boolean> {
  const paths = items.flatMap((item) => {
    const stored = tree.record(item)?.stored;
    return stored?.kind === 'record' ? progressPaths(tree, item, stored.record) : NO_PATHS;
  });
  return paths.length === 0 || tree.load([...loaded, ...paths], options);
}

/**
 * Operations by which the end of a run notes the progress of its item. None if it is no run of a re-run, if it is not
 * the final end, or if the re-run is gone. The values of `progressPaths` must be loaded.
 */
export function progressOperations(tree: JobTree, item: number, { target, settled }: RunRecord): Operation[] {
  const id = rerunIdOf(target.origin);
  if (id === undefined || settled === undefined) return [];
  if (settled.isOwed === true || settled.cause === 'handed-over') return [];
  const rerun = tree.rerun(id);
  const progress = rerun && progressAfter(rerun, tree.rerunProgress(id, item), target.fireTime, settled.outcome);
  if (progress === undefined) return [];
  const path = tree.paths.rerunItem(id, item);
  const data = formatRerunProgress(progress);
  return [tree.has(path) ? { kind: 'set', path, data } : creation(path, data)];
}

/** True if this is the target that the item's progress shows as the next one of its re-run. */
export function isNextOfRerun(tree: JobTree, id: string, item: number, { fireTime }: Target): boolean {
  const rerun = tree.rerun(id);
  if (rerun === undefined) return false;
  return nextRerunTarget(id, rerun, item, tree.rerunProgress(id, item))?.fireTime === fireTime;
}
