// `nestjs-elastic-job/tools`: rules of ElasticJob as pure functions.

export {
  type ClockChange,
  createShardingStrategy,
  type CronFieldName,
  CronSyntaxError,
  importElasticJob2Configuration,
  javaHashCode,
  nextFireTimes,
  type NextFireTimesOptions,
  resolveJobOptions,
  TimeZoneError,
  unixToQuartz,
  UnknownStrategyError,
} from '../domain/index.js';
export {
  type ImportedConfiguration,
  type ImportedJob,
  type ImportedRegistry,
  importElasticJobConfiguration,
  type ImportSource,
  type NotTakenOver,
} from '../migration/index.js';
