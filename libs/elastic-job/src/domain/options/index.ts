// Settings of a job: the given options, their rules and defaults, and the resolved form for the rest of the code.
export type { ClockChangeOption } from './clock-change-option.js';
export type { ConcurrencyOption } from './concurrency-option.js';
export { CRON_DIALECTS, type CronDialect, dialectOfEdit } from './cron-dialect.js';
export { findUnshareable } from './find-unshareable.js';
export { having, hasMethods, isFileUrl } from './having.js';
export { hiddenProps } from './hidden-props.js';
export { assertText } from './given-text.js';
export { Hidden } from './hidden.js';
export { HiddenText } from './hidden-text.js';
export { importElasticJob2Configuration } from './import-elastic-job-2.js';
export { isJavaErrorHandlerType, isJavaThreadPoolSizeType, isJavaTimeZone } from './java-names.js';
export { failsOver, hasIdleFailover, type JobConfiguration, switchesFailover } from './job-configuration.js';
export { defaultsOfTemplate, findDefaultsFaults, JOB_DEFAULTS, jobDefaults } from './job-defaults.js';
export type { CodeOption, JobDefaults, JobOptions, OwnOption } from './job-options.js';
export type { OnHung } from './on-hung-option.js';
export { NESTJS_PREFIX } from './job-options.rules.js';
export {
  COMMON_SETTINGS,
  JAVA_SETTINGS,
  JOB_SETTINGS,
  NESTJS_SETTINGS,
  PROPS_SETTINGS,
  type Setting,
  type SettingAt,
} from './job-settings.js';
export { byName, namesOf, type OptionRow, OptionTable, Ruled } from './option-table.js';
export { type JobOptionsSource, resolveJobOptions } from './resolve-job-options.js';
export { followMisfire, type MisfirePolicy, misfirePolicyOf } from './misfire-policy.js';
export { parseShardingItemParameters, ShardingItemParametersError } from './sharding-item-parameters.js';
export { mostItemsAtOnce } from './most-items-at-once.js';
export { findNearestName } from './nearest-name.js';
export { nested } from './nested-options.js';
export {
  aboveZero,
  either,
  type EntryReader,
  findFault,
  flag,
  GREATEST_INT,
  type KeptRule,
  mustBe,
  mustBeUnseen,
  NONE,
  number,
  oneOf,
  type Rule,
  rule,
  show,
  text,
  wholeFrom,
  wholeNumber,
} from './option-rules.js';
export { assertOptionsObject, isOptionsObject } from './options-object.js';
export { findQuote, findQuotesAround, QUOTES_ARE_KEPT } from './quotes.js';
export { resolveStrategy } from './resolve-strategy.js';
export { isFixed, takeSettings } from './take-settings.js';
export { timetableOf } from './timetable-of.js';
export { resources, taskOptions } from './task-options.rules.js';
export { DEFAULT_RESOURCES, type TaskOptions, type TaskResources, type TaskTemplate } from './task-options.js';
