import type { JobInstance, JobName } from '../cluster/index.js';

/**
 * Assigns items to instances. Must be pure: the same arguments give the same answer, on any leader.
 *
 * Every item from 0 to `shardingTotalCount` - 1 goes to exactly one of the given instances; an instance may get none.
 */
export interface ShardingStrategy {
  /** Name of the strategy in options and in the registry. */
  readonly type: string;
  /**
   * Assigns the items.
   * @param instances never empty, in Java's order: descending by instance id
   * @param current the instance id of each item's present owner, who may be gone; for strategies that avoid moves
   * @returns the items of each instance; instances that get none may be left out
   */
  shard(
    instances: readonly JobInstance[],
    jobName: JobName,
    shardingTotalCount: number,
    current?: ReadonlyMap<number, string>,
  ): ReadonlyMap<JobInstance, readonly number[]>;
}
