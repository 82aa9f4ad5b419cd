import type { JobInstance } from '../cluster/index.js';
import type { ShardingStrategy } from './sharding-strategy.js';

/**
 * Balanced within one item, with no more items moved than that takes: an item stays with its owner unless the owner is
 * gone or has more than its due. What has to move goes, in ascending order, to the instance that has least by then.
 *
 * Every balanced assignment gives each of n instances `floor(total / n)` items, and one more to `total mod n` of them.
 * So each may keep the first, and as many of those that have more may keep one more; no balanced assignment keeps more.
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

/** What each instance keeps of what it has. */
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
