import type { JobInstance } from '../cluster/index.js';
import type { ShardingStrategy } from './sharding-strategy.js';

/**
 * Balances within one item and moves as few items as that allows: an item stays with its owner unless the owner is gone
 * or has more than its share. An item that has to move goes, in ascending order, to the instance that then has least.
 *
 * Every balanced assignment gives each of n instances `floor(total / n)` items, and one more to `total mod n` of them.
 * So each instance keeps up to the first number, and as many of those that have more keep one more; no balanced
 * assignment keeps more.
 */
export const sticky: ShardingStrategy = Object.freeze({
  type: 'STICKY',
  shard: (
    instances: readonly JobInstance[],
    _jobName: string,
    shardingTotalCount: number,
    current: ReadonlyMap<number, string> = new Map(),
  ) => {
    const items = Array.from({ length: shardingTotalCount }, (_, item) => item);
    const kept = keep(instances, items, current);
    const staying = new Set([...kept.values()].flat());
    if (instances.length > 0)
      spread(
        kept,
        items.filter((item) => !staying.has(item)),
      );
    return kept;
  },
});

/** Items that each instance keeps. */
function keep(
  instances: readonly JobInstance[],
  items: readonly number[],
  current: ReadonlyMap<number, string>,
): Map<JobInstance, number[]> {
  const each = Math.floor(items.length / instances.length);
  let extra = items.length % instances.length;
  const owners = ownedItems(items, current);
  return new Map(
    instances.map((instance) => {
      const owned = owners.get(instance.jobInstanceId) ?? [];
      const keepsExtra = owned.length > each && extra > 0;
      if (keepsExtra) extra -= 1;
      return [instance, owned.slice(0, keepsExtra ? each + 1 : each)];
    }),
  );
}

/** Items by their owner, ascending. */
function ownedItems(items: readonly number[], current: ReadonlyMap<number, string>): ReadonlyMap<string, number[]> {
  const owned = new Map<string, number[]>();
  for (const item of items) {
    const owner = current.get(item);
    if (owner === undefined) continue;
    const list = owned.get(owner);
    if (list === undefined) owned.set(owner, [item]);
    else list.push(item);
  }
  return owned;
}

/** Gives each item to the shortest list; of equal ones to the first. One pass for all that are shortest together. */
function spread(kept: ReadonlyMap<JobInstance, number[]>, items: readonly number[]): void {
  const lists = [...kept.values()];
  for (let next = 0; next < items.length;) {
    const least = lists.reduce((shortest, { length }) => Math.min(shortest, length), Infinity);
    for (const list of lists) if (next < items.length && list.length === least) list.push(items[next++]!);
  }
}
