import {
  carriedFields,
  type EndedItems,
  endedRunRecord,
  firstRunRecord,
  formatEndedItems,
  lastFireTimeOf,
  parseEndedItems,
  type RecordAuthor,
  type RunRecord,
  withEndedItems,
} from '../../domain/index.js';
import { creation, type Operation, type RequestOptions } from '../../registry/index.js';
import type { JobPaths, JobTree } from '../job-tree/index.js';

/**
 * Writes after which the tree shows the plan and the resharding flag is gone; empty if it does already. Owners are
 * changed in place, so no item is without one for a moment. Items beyond the total are removed once they no longer run.
 * What they were begun for is kept, and a new item of that number starts with it. @see loadEnded
 */
export function planOperations(tree: JobTree, plan: ReadonlyMap<number, string>, born: NewItems): Operation[] {
  const ended = endedItems(tree);
  const changes = [...plan].flatMap(([item, instanceId]) =>
    ownerOperations(tree, item, instanceId, () => newItemText(tree, ended, item, born)),
  );
  const surplus = surplusItems(tree, plan);
  const parent = tree.has(tree.paths.items) ? [] : [creation(tree.paths.items)];
  return [
    ...parent,
    ...changes,
    ...endedOperations(tree, ended, plan, surplus),
    ...surplus.flatMap((item) => removalOperations(tree, item)),
    ...flagOperations(tree, changes.length > 0),
  ];
}

/** The flag goes last, so that listeners to its end already know the owners. If it was not set, they are notified. */
function flagOperations(tree: JobTree, isAnyOwnerChanged: boolean): Operation[] {
  const path = tree.paths.reshardingFlag;
  if (tree.isReshardingNecessary()) return [{ kind: 'delete', path }];
  return isAnyOwnerChanged ? [{ kind: 'notify', path }] : [];
}

/**
 * Puts a record over those of items that Java peers have run since: fire times up to its own are done. Items that run
 * or wait for failover are left alone, as their record is still needed. The records must be loaded.
 */
export function stampOperations(tree: JobTree, items: Iterable<number>, record: RunRecord): Operation[] {
  return [...items].flatMap((item) => {
    const { stored = { kind: 'none' }, version } = tree.record(item) ?? {};
    if ((lastFireTimeOf(stored) ?? Infinity) >= record.target.fireTime) return [];
    if (tree.isRunning(item) || tree.has(tree.paths.queued(item))) return [];
    const text = tree.recordText({ ...carriedFields(stored), ...record });
    return [stampOperation(tree.paths.record(item), text, version)];
  });
}

/** Operation for one item. Together with a change of its owner it may be the largest part of a plan. */
export function stampOperation(path: string, record: string, version: number | undefined): Operation {
  return { kind: 'set', path, data: record, version };
}

/** Operations for one item that does not exist yet, the largest that a plan can hold. @param record empty: none */
export function newItemOperations(paths: JobPaths, item: number, instanceId: string, record: string): Operation[] {
  const owned = [creation(paths.item(item)), creation(paths.mark(item, 'instance'), instanceId)];
  return record === '' ? owned : [...owned, creation(paths.record(item), record)];
}

/** @param record as text, for an item that has none; empty: none */
function ownerOperations(tree: JobTree, item: number, instanceId: string, record: () => string): Operation[] {
  const { paths } = tree;
  const path = paths.mark(item, 'instance');
  const owner = tree.owner(item);
  if (owner === instanceId) return [];
  if (owner !== undefined) return [{ kind: 'set', path, data: instanceId }];
  if (!tree.has(paths.item(item))) return newItemOperations(paths, item, instanceId, record());
  return [creation(path, instanceId)];
}

function removalOperations(tree: JobTree, item: number): Operation[] {
  const { paths } = tree;
  const root = paths.item(item);
  const queued = tree.has(paths.queued(item)) ? [paths.queued(item)] : [];
  const record = paths.record(item);
  // A run that was begun since the record was read must not be forgotten.
  const deletion = (path: string): Operation =>
    path === record ? { kind: 'delete', path, version: tree.record(item)?.version } : { kind: 'delete', path };
  return [...queued, ...tree.descendants(root), root].map(deletion);
}

/** Contents of the first records of new items. */
export interface NewItems {
  /** Author of their records. Asked only if one is written. */
  readonly author: () => RecordAuthor;
  /** The last start of a job after others, in which a new item takes no part. @default the job has none */
  readonly start?: number;
}

/** Items beyond the total that do not run, ascending: the plan removes them. */
function surplusItems(tree: JobTree, plan: ReadonlyMap<number, string>): readonly number[] {
  return tree.items().filter((item) => !plan.has(item) && !tree.isRunning(item));
}

/** Loads what `planOperations` needs of items that end, or that are there again. No request if there are none. */
export async function loadEnded(
  tree: JobTree,
  plan: ReadonlyMap<number, string>,
  options: RequestOptions,
): Promise<void> {
  if (isEndedKnown(tree, plan)) return;
  await tree.load([tree.paths.ended], options);
  await tree.loadRecords(surplusItems(tree, plan), options);
}

/** True if the plan can be written: nothing that an ended item was begun for would be overlooked. */
export function isEndedKnown(tree: JobTree, plan: ReadonlyMap<number, string>): boolean {
  const { paths } = tree;
  const surplus = surplusItems(tree, plan);
  if (surplus.some((item) => tree.record(item) === undefined)) return false;
  const isAnyNew = () => [...plan.keys()].some((item) => !tree.has(paths.item(item)));
  return !tree.has(paths.ended) || tree.node(paths.ended) !== undefined || (surplus.length === 0 && !isAnyNew());
}

/** Targets that earlier plans have kept of items that they have ended, if they are loaded. */
function endedItems(tree: JobTree): EndedItems {
  return parseEndedItems(tree.node(tree.paths.ended)?.data ?? '');
}

/** First record of a new item, as text; empty if it needs none. */
function newItemText(tree: JobTree, ended: EndedItems, item: number, { author, start }: NewItems): string {
  const former = ended.records.get(item) ?? ended.others;
  if (former === undefined && start === undefined) return '';
  const record = firstRunRecord(former, start, author());
  return record === undefined ? '' : tree.recordText(record);
}

/**
 * Keeps what items were begun for that the plan ends. So it outlives them, also for a clock that is behind. It goes
 * once they are there again, or with the job.
 */
function endedOperations(
  tree: JobTree,
  before: EndedItems,
  plan: ReadonlyMap<number, string>,
  surplus: readonly number[],
): Operation[] {
  const path = tree.paths.ended;
  const node = tree.node(path);
  // Not loaded, since no item comes or goes.
  if (node === undefined && tree.has(path)) return [];
  const records = surplus.flatMap((item) => {
    const record = endedRunRecord(tree.record(item)?.stored ?? { kind: 'none' });
    return record === undefined ? [] : [[item, record] as const];
  });
  const data = formatEndedItems(withEndedItems(before, records, (item) => plan.has(item)));
  if (node === undefined) return data === '' ? [] : [creation(path, data)];
  const { version } = node.stat;
  if (data === '') return [{ kind: 'delete', path, version }];
  return data === node.data ? [] : [{ kind: 'set', path, data, version }];
}
