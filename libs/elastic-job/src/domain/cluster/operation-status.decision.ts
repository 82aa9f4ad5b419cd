/** A job as an operator sees it; ElasticJob's words. */
export type JobBriefStatus = 'OK' | 'CRASHED' | 'DISABLED' | 'SHARDING_FLAG';

/**
 * An item as an operator sees it; ElasticJob's words. SHARDING_FLAG: its owner is not there, it waits for a new one.
 */
export type ShardingStatus = 'DISABLED' | 'RUNNING' | 'SHARDING_FLAG' | 'PENDING';

/** What a job's state is judged by. */
export interface JobBriefFacts {
  /** The ids of the registered instances. */
  readonly instanceIds: readonly string[];
  /** For each known server whether it is disabled. */
  readonly disabledServers: readonly boolean[];
  /** The owner of each item that has a node; undefined if it has none. */
  readonly owners: Iterable<string | undefined>;
}

/**
 * CRASHED: no instance. DISABLED: every server is. SHARDING_FLAG: an owner is not there, or no item has one. The first
 * that is true.
 * @see ElasticJob, `JobStatisticsAPIImpl.getJobStatus`
 */
export function judgeJob({ instanceIds, disabledServers, owners }: JobBriefFacts): JobBriefStatus {
  if (instanceIds.length === 0) return 'CRASHED';
  if (disabledServers.every((isDisabled) => isDisabled)) return 'DISABLED';
  const assigned = [...owners].filter((owner) => owner !== undefined);
  const isCurrent = assigned.length > 0 && assigned.every((owner) => instanceIds.includes(owner));
  return isCurrent ? 'OK' : 'SHARDING_FLAG';
}

/** What an item's state is judged by. */
export interface ShardingFacts {
  readonly isDisabled: boolean;
  readonly isRunning: boolean;
  readonly isOwnerOnline: boolean;
}

/**
 * The first that is true, in the order of the fields.
 * @see ElasticJob, `ShardingStatisticsAPIImpl` and `ShardingInfo`
 */
export function judgeItem({ isDisabled, isRunning, isOwnerOnline }: ShardingFacts): ShardingStatus {
  if (isDisabled) return 'DISABLED';
  if (isRunning) return 'RUNNING';
  return isOwnerOnline ? 'PENDING' : 'SHARDING_FLAG';
}
