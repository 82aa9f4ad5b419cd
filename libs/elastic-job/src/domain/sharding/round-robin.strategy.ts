import type { JobInstance } from '../cluster/index.js';
import { allocateEvenly } from './avg-allocation.strategy.js';
import { javaHashCode } from './java-hash-code.js';
import type { ShardingStrategy } from './sharding-strategy.js';

/**
 * The average allocation, over the instances rotated by the hash of the job's name: each job starts at another
 * instance.
 *
 * For a hash of -2^31 Java fails unless the number of instances is a power of two, because `Math.abs` of that int is
 * negative. Here the absolute value is 2^31, which agrees with Java wherever Java has an answer.
 * @see ElasticJob, `RotateServerByNameJobShardingStrategy`
 */
export const roundRobin: ShardingStrategy = Object.freeze({
  type: 'ROUND_ROBIN',
  shard: (instances: readonly JobInstance[], jobName: string, shardingTotalCount: number) => {
    const offset = Math.abs(javaHashCode(jobName)) % instances.length;
    return allocateEvenly([...instances.slice(offset), ...instances.slice(0, offset)], shardingTotalCount);
  },
});
