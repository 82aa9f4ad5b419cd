/** A job as an operator sees it; ElasticJob's words. */
export type JobBriefStatus = 'OK' | 'CRASHED' | 'DISABLED' | 'SHARDING_FLAG';

/**
 * An item as an operator sees it, in ElasticJob's words. SHARDING_FLAG: its owner is gone, and it waits for a new one.
 */
export type ShardingStatus = 'DISABLED' | 'RUNNING' | 'SHARDING_FLAG' | 'PENDING';

/** Facts from which the status of a job is judged. */
export interface JobBriefFacts {
  /** The ids of the registered instances. */
  readonly instanceIds: readonly string[];
  /** One entry for each known server: true if it is disabled. */
  readonly disabledServers: readonly boolean[];
  /** The owner of each item that has a node; undefined if it has none. */
  readonly owners: Iterable<string | undefined>;
}

/**
 * Judges a job. The first that applies: CRASHED, no instance; DISABLED, all servers disabled; SHARDING_FLAG, an owner
 * is gone or no item has one; else OK.
 * @see ElasticJob, `JobStatisticsAPIImpl.getJobStatus`
 */
export function judgeJob({ instanceIds, disabledServers, owners }: JobBriefFacts): JobBriefStatus {
  if (instanceIds.length === 0) return 'CRASHED';
  if (disabledServers.every((isDisabled) => isDisabled)) return 'DISABLED';
  const assigned = [...owners].filter((owner) => owner !== undefined);
  const isCurrent = assigned.length > 0 && assigned.every((owner) => instanceIds.includes(owner));
  return isCurrent ? 'OK' : 'SHARDING_FLAG';
}

/** Facts from which the status of an item is judged. */
export interface ShardingFacts {
  readonly isDisabled: boolean;
  readonly isRunning: boolean;
  readonly isOwnerOnline: boolean;
}

/**
 * Judges an item by the first fact that is true, in the order of the fields.
 * @see ElasticJob, `ShardingStatisticsAPIImpl` and `ShardingInfo`
 */
export function judgeItem({ isDisabled, isRunning, isOwnerOnline }: ShardingFacts): ShardingStatus {
  if (isDisabled) return 'DISABLED';
  if (isRunning) return 'RUNNING';
  return isOwnerOnline ? 'PENDING' : 'SHARDING_FLAG';
}
