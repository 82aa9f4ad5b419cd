// `nestjs-elastic-job/operations`: ElasticJob's operations, for whoever administers jobs.

export { type JobBriefStatus, type ShardingStatus } from '../domain/index.js';
export {
  type AssertEditable,
  type CancelOutcome,
  type DumpOptions,
  type DumpServer,
  type DumpServerOptions,
  InvalidArgumentError,
  type JobBriefInfo,
  JobConfigurationApi,
  type JobConfigurationChanges,
  JobOperateApi,
  JobStatisticsApi,
  type RecordedRun,
  type ServerBriefInfo,
  type ServerScope,
  ServerStatisticsApi,
  type ShardingInfo,
  ShardingOperateApi,
  ShardingStatisticsApi,
  startDumpServer,
  type StoredJobConfiguration,
  type TriggerOptions,
  type TriggerReceipt,
  UnknownItemError,
  UnknownServerError,
} from '../operations/index.js';
