import type { JobInstance } from '../cluster/index.js';
import { rankInstances } from './rank-instances.js';
import { shareItems } from './share-items.js';
import type { ShardingStrategy } from './sharding-strategy.js';

/**
 * The default: as many items for each instance, and what is left over for those that rank first for the job. So many
 * jobs of few items are spread over all instances, by chance. Items move only as far as these numbers ask: after a
 * crash only those of the dead instance.
 *
 * Java lacks it, and plans by its average allocation instead. @see strategyBesideJava
 */
export const balanced: ShardingStrategy = Object.freeze({
  type: 'BALANCED',
  shard: (
    instances: readonly JobInstance[],
    jobName: string,
    shardingTotalCount: number,
    current: ReadonlyMap<number, string> = new Map(),
  ) => shareItems(rankInstances(instances, jobName), shardingTotalCount, current),
});
