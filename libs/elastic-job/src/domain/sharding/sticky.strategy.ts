import type { JobInstance } from '../cluster/index.js';
import { rankInstances } from './rank-instances.js';
import { ownedItems, shareItems } from './share-items.js';
import type { ShardingStrategy } from './sharding-strategy.js';

/**
 * Balances within one item and moves as few items as that allows: an item stays with its owner unless the owner is gone
 * or has more than its share.
 *
 * Every balanced assignment gives each of n instances `floor(total / n)` items, and one more to `total mod n` of them.
 * Here these are instances that have more already, as far as there are such, since no balanced assignment keeps more
 * items. Of equal ones those come first that rank first for the job.
 */
export const sticky: ShardingStrategy = Object.freeze({
  type: 'STICKY',
  shard: (
    instances: readonly JobInstance[],
    jobName: string,
    shardingTotalCount: number,
    current: ReadonlyMap<number, string> = new Map(),
  ) => {
    const each = Math.floor(shardingTotalCount / instances.length);
    const owned = ownedItems(shardingTotalCount, current);
    const hasMore = ({ jobInstanceId }: JobInstance) => (owned.get(jobInstanceId)?.length ?? 0) > each;
    const ranked = rankInstances(instances, jobName);
    const inOrder = [...ranked.filter(hasMore), ...ranked.filter((instance) => !hasMore(instance))];
    return shareItems(inOrder, shardingTotalCount, current);
  },
});
