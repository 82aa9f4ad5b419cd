import { carriedFields, lastFireTimeOf, type RunRecord } from '../../domain/index.js';
import { endedItems, endedOperations, type NewItems, newItemText, surplusItems } from './ended-items.js';
import { creation, type Operation } from '../../registry/index.js';
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
