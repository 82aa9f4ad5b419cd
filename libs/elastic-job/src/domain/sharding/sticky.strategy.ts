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
    for (const item of items) {
      if (!staying.has(item)) leastOf(kept.values()).push(item);
    }
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
  return new Map(
    instances.map((instance) => {
      const owned = items.filter((item) => current.get(item) === instance.jobInstanceId);
      const keepsExtra = owned.length > each && extra > 0;
      if (keepsExtra) extra -= 1;
      return [instance, owned.slice(0, keepsExtra ? each + 1 : each)];
    }),
  );
}

/** The shortest of the lists; of equal ones the first. */
function leastOf(lists: Iterable<number[]>): number[] {
  return [...lists].reduce((least, list) => (list.length < least.length ? list : least));
}
