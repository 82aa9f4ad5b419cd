import type { JobInstance } from '../cluster/index.js';
import type { ShardingStrategy } from './sharding-strategy.js';

/**
 * Gives equal series of items to the instances in their order: of 8 items, three instances get 0-1, 2-3 and 4-5. The
 * remaining items go to the first instances, one each: 6 and 7.
 * @see ElasticJob, `AverageAllocationJobShardingStrategy`
 */
export const avgAllocation: ShardingStrategy = Object.freeze({
  type: 'AVG_ALLOCATION',
  shard: (instances: readonly JobInstance[], _jobName: string, shardingTotalCount: number) =>
    allocateEvenly(instances, shardingTotalCount),
});

/** The allocation of ElasticJob's three strategies, which differ in the order of the instances. */
export function allocateEvenly(
  instances: readonly JobInstance[],
  shardingTotalCount: number,
): ReadonlyMap<JobInstance, readonly number[]> {
  const each = Math.floor(shardingTotalCount / instances.length);
  const firstLeftOver = each * instances.length;
  return new Map(
    instances.map((instance, k) => {
      const items = Array.from({ length: each }, (_, i) => k * each + i);
      if (firstLeftOver + k < shardingTotalCount) items.push(firstLeftOver + k);
      return [instance, items];
    }),
  );
}
