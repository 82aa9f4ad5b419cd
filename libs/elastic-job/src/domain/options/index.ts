// The settings of a job: as they are given, how they are checked and completed, and as everything else uses them.
export type { ClockChangeOption } from './clock-change-option.js';
export { type ConcurrencyOption, THREAD_POOL_SIZES } from './concurrency-option.js';
export { CRON_DIALECTS, type CronDialect, dialectOfEdit } from './cron-dialect.js';
export { findUnshareable } from './find-unshareable.js';
export { hiddenProps } from './hidden-props.js';
export { Hidden } from './hidden.js';
export { HiddenText } from './hidden-text.js';
export { importElasticJob2Configuration } from './import-elastic-job-2.js';
export { isJavaErrorHandlerType, isJavaThreadPoolSizeType, isJavaTimeZone } from './java-names.js';
export { failsOver, hasIdleFailover, type JobConfiguration, switchesFailover } from './job-configuration.js';
export type { CodeOption, JobOptions } from './job-options.js';
export { ON_HUNG, type OnHung } from './on-hung-option.js';
export {
  DEFAULT_ON_HUNG,
  DEFAULT_FAILOVER_QUEUE_LIMIT,
  DEFAULT_MAX_EXECUTOR_FAILOVERS,
  DEFAULT_RETRY,
  DEFAULT_SERVER_RETENTION_MINUTES,
  DEFAULT_SHUTDOWN_GRACE_MS,
  DEFAULT_SHARDING_TIMEOUT_MS,
  DEFAULT_STRATEGY,
  type JobOptionsSource,
  resolveJobOptions,
} from './resolve-job-options.js';
export {
  DEFAULT_MISFIRE_LIMIT,
  followMisfire,
  MISFIRE_POLICIES,
  type MisfirePolicy,
  misfirePolicyOf,
} from './misfire-policy.js';
export { parseShardingItemParameters, ShardingItemParametersError } from './sharding-item-parameters.js';
export { mostItemsAtOnce } from './most-items-at-once.js';
export { findNearestName } from './nearest-name.js';
export { findFault, GREATEST_INT, IsWholeNumber, mustBe, rule, show } from './option-rules.js';
export { timetableOf } from './timetable-of.js';
