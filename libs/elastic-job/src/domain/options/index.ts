// Settings of a job: the given options, their rules and defaults, and the resolved form for the rest of the code.
export { findUnshareable, isJavaErrorHandlerType, isJavaThreadPoolSizeType, isJavaTimeZone } from './beside-java.js';
export { CRON_DIALECTS, type CronDialect, dialectOfEdit } from './cron-dialect.js';
export {
  assertOptionsObject,
  assertText,
  findQuote,
  findQuotesAround,
  isOptionsObject,
  QUOTES_ARE_KEPT,
} from './given-values.js';
export { Hidden, hiddenProps, HiddenText, showAs } from './hidden.js';
export { importElasticJob2Configuration } from './import-elastic-job-2.js';
export {
  failsOver,
  hasIdleFailover,
  type JobConfiguration,
  mostItemsAtOnce,
  switchesFailover,
} from './job-configuration.js';
export { defaultsOfTemplate, findDefaultsFaults, JOB_DEFAULTS, jobDefaults } from './job-defaults.js';
export {
  type CodeOption,
  type ConcurrencyOption,
  DEFAULT_RESOURCES,
  type JobDefaults,
  type JobOptions,
  type OnHung,
  type OwnOption,
  type TaskOptions,
  type TaskResources,
  type TaskTemplate,
} from './job-options.js';
export { NESTJS_PREFIX, resources, taskOptions } from './job-options.rules.js';
export {
  COMMON_SETTINGS,
  JAVA_SETTINGS,
  JOB_SETTINGS,
  NESTJS_SETTINGS,
  PROPS_SETTINGS,
  type Setting,
  type SettingAt,
} from './job-settings.js';
export { followMisfire, type MisfirePolicy, misfirePolicyOf } from './misfire-policy.js';
export {
  aboveZero,
  either,
  type EntryReader,
  findFault,
  flag,
  GREATEST_INT,
  hasMethods,
  having,
  isFileUrl,
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
export { byName, namesOf, nested, type OptionRow, OptionTable, Ruled } from './option-table.js';
export { type JobOptionsSource, resolveJobOptions, resolveStrategy } from './resolve-job-options.js';
export { parseShardingItemParameters, ShardingItemParametersError } from './sharding-item-parameters.js';
export { isFixed, takeSettings } from './take-settings.js';
