import type { JobInstance } from '../cluster/index.js';
import { roundRobin } from './round-robin.strategy.js';
import type { ShardingStrategy } from './sharding-strategy.js';

/**
 * For jobs of one item, which goes round: after each run the next server gets it. The strategy itself only decides
 * while no next server is named: at first, and when the instance that named it is gone.
 *
 * Java adds its clock's milliseconds to the hash of the job's name. A pure strategy has no clock, and the name alone
 * spreads the jobs over the instances as well.
 * @see ElasticJob 3.0.5, `SingleShardingBalanceJobShardingStrategy`
 */
export const singleShardingBalance: ShardingStrategy = Object.freeze({
  type: 'SINGLE_SHARDING_BALANCE',
  shard: (instances: readonly JobInstance[], jobName: string, shardingTotalCount: number) =>
    roundRobin.shard(instances, jobName, shardingTotalCount),
});
