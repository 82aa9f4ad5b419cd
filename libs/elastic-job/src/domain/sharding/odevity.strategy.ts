import type { JobInstance } from '../cluster/index.js';
import { allocateEvenly } from './avg-allocation.strategy.js';
import { javaHashCode } from './java-hash-code.js';
import type { ShardingStrategy } from './sharding-strategy.js';

/**
 * The average allocation, over the reversed instances if the hash of the job's name is even: so the work of many jobs
 * with few items does not always go to the same instance.
 * @see ElasticJob, `OdevitySortByNameJobShardingStrategy`
 */
export const odevity: ShardingStrategy = Object.freeze({
  type: 'ODEVITY',
  shard: (instances: readonly JobInstance[], jobName: string, shardingTotalCount: number) =>
    allocateEvenly(javaHashCode(jobName) % 2 === 0 ? instances.toReversed() : instances, shardingTotalCount),
});
