/**
 * Open re-runs of a job: what its items run next of them, and the removal of those that are over.
 *
 * State: `reruns/{id}`, which an operator creates, and the progress of each item below it.
 *
 * Guarantees: a re-run stays until all fire times of all its items have ended, or until it is withdrawn. From then on
 * nothing of it begins, since each begin checks the version of its node. One that is over says so (`withdrawn`) before
 * the first of its nodes goes, so that what is left of a removal that was cut short is not taken for an open one.
 *
 * Failures: if an operator's process dies in the middle of a withdrawal, the leader removes the rest.
 */
import {
  droppedRunRecord,
  formatRerun,
  hasEnded,
  hasRerunItem,
  inOrderOfReruns,
  isRerunDone,
  nextRerunTarget,
  type Rerun,
  RERUN_LIMITS,
  type RunRecord,
  stopOf,
  stoppedRunRecord,
  type Target,
} from '../../domain/index.js';
import type { Operation } from '../../registry/index.js';
import { repeat } from '../../repeat/index.js';
import { type Authority, type JobTree, untilCommitted } from '../job-tree/index.js';
import { loadProgress, progressOperations } from './rerun-progress.js';

/** Most nodes removed at once, because a transaction is limited. */
const MOST_AT_ONCE = 500;
/** Most re-runs that are looked at. A job may have less, and others are made by hand. */
const MOST_LOOKED_AT = 100;

/** The next target of an item, of all open re-runs. */
export interface NextOfRerun {
  readonly item: number;
  readonly target: Target;
  /** True if its record shows the end of this target, and its progress does not yet. */
  readonly isEnded: boolean;
}

/**
 * Finds what items run next of the open re-runs: the one that was asked for first goes first, and of it the oldest fire
 * time. It loads the records of the items as well.
 * @returns undefined if something has changed meanwhile: sync and read again
 */
export async function nextOfReruns(
  tree: JobTree,
  items: readonly number[],
): Promise<readonly NextOfRerun[] | undefined> {
  const { paths, signal } = tree;
  const ids = tree.reruns.slice(0, RERUN_LIMITS.open);
  const nodes = ids.map((id) => paths.rerun(id));
  if (!(await tree.load(nodes, { signal }))) return undefined;
  const has = (id: string, item: number) => {
    const rerun = tree.rerun(id);
    return rerun !== undefined && hasRerunItem(rerun, item);
  };
  const progress = ids.flatMap((id) => items.filter((item) => has(id, item)).map((item) => paths.rerunItem(id, item)));
  const records = items.map((item) => paths.record(item));
  if (!(await tree.load([...nodes, ...records, ...progress], { signal }))) return undefined;
  const reruns = inOrderOfReruns(
    ids.flatMap((id) => {
      const rerun = tree.rerun(id);
      return rerun === undefined ? [] : { id, rerun };
    }),
  );
  return items.flatMap((item) => nextOf(tree, reruns, item) ?? []);
}

function nextOf(
  tree: JobTree,
  reruns: readonly { readonly id: string; readonly rerun: Rerun }[],
  item: number,
): NextOfRerun | undefined {
  const stored = tree.record(item)?.stored;
  if (stored === undefined) return undefined;
  for (const { id, rerun } of reruns) {
    const target = nextRerunTarget(id, rerun, item, tree.rerunProgress(id, item));
    if (target !== undefined) return { item, target, isEnded: hasEnded(stored, target) };
  }
  return undefined;
}

/**
 * Notes the end of a target in the progress of its item. The record shows the end, but whoever wrote it has noted
 * nothing, or a crash without failover came between an operator's cancel and the end.
 */
export async function noteEndedTarget(tree: JobTree, item: number, target: Target): Promise<void> {
  const { paths, signal } = tree;
  await repeat(untilCommitted(tree, 'noting the end of a re-run'), async () => {
    const record = paths.record(item);
    if (!(await tree.load([record], { signal }))) return undefined;
    if (!(await loadProgress(tree, [item], [record], { signal }))) return undefined;
    const { stored, version } = tree.record(item) ?? {};
    if (stored?.kind !== 'record' || !hasEnded(stored, target)) return true;
    if (tree.isMarked(item) || tree.isQueued(item)) return true;
    const ended = endedRecord(stored.record, tree.clock.wallNow());
    const progress = progressOperations(tree, item, ended);
    if (progress.length === 0) return true;
    const proof: Operation =
      ended === stored.record
        ? { kind: 'check', path: record, version }
        : { kind: 'set', path: record, data: tree.recordText(ended), version };
    return (await tree.commit([proof, ...progress], { signal })).kind === 'committed' || undefined;
  });
}

function endedRecord(record: RunRecord, at: number): RunRecord {
  const stop = stopOf(record);
  if (stop !== undefined) return stoppedRunRecord(record, at, stop);
  return record.settled?.isOwed === true ? droppedRunRecord(record, at, 'purged') : record;
}

/** Removes re-runs that are withdrawn or done, as the leader. @param total the present number of items */
export async function removeEndedReruns(tree: JobTree, authority: Authority, total: () => number): Promise<void> {
  const { signal } = authority;
  for (const id of tree.reruns.slice(0, MOST_LOOKED_AT)) {
    const part = () => remove(tree, authority, id, total());
    let left: 'more' | 'nothing' = 'more';
    while (left === 'more') left = await repeat(untilCommitted(tree, 'removing a re-run', signal), part);
  }
}

/** @returns undefined if something has changed meanwhile */
async function remove(
  tree: JobTree,
  { guard, signal }: Authority,
  id: string,
  total: number,
): Promise<'more' | 'nothing' | undefined> {
  const path = tree.paths.rerun(id);
  if (!(await tree.load([path], { signal }))) return undefined;
  // A damaged one is left to the operator, who may have written it with a later release.
  if (tree.rerun(id) === undefined) return 'nothing';
  const below = tree.descendants(path);
  if (tree.rerun(id)!.withdrawn !== true && !(await tree.load([path, ...below], { signal }))) return undefined;
  const [rerun, stat] = [tree.rerun(id), tree.stat(path)];
  if (rerun === undefined || stat === undefined) return undefined;
  const isWithdrawn = rerun.withdrawn === true;
  if (!isWithdrawn && !isRerunDone(rerun, total, (item) => tree.rerunProgress(id, item))) return 'nothing';
  const { version } = stat;
  const isLast = below.length < MOST_AT_ONCE;
  const itself: Operation = isLast
    ? { kind: 'delete', path, version }
    : { kind: 'set', path, data: formatRerun({ ...rerun, withdrawn: true }), version };
  const removals = below.slice(0, MOST_AT_ONCE).map((one): Operation => ({ kind: 'delete', path: one }));
  // Items beyond the total count as done, and it may grow again.
  const operations = [...guard, ...tree.configAsRead(), ...removals, itself];
  if ((await tree.commit(operations, { signal })).kind === 'refused') return undefined;
  return isLast ? 'nothing' : 'more';
}
