// An operator's requests about any job in the registry: configuration, trigger, cancel, enable, disable, shut down,
// remove, statistics and a dump.
export type { DumpOptions, TriggerOptions, ServerScope, SwitchScope } from './command-arguments.js';
export type { FindTemplate, NewJob } from './create-job.js';
export * from './dump-server.js';
export type { JobConfigurationChanges, StoredJobConfiguration } from './edit-configuration.js';
export { type AssertEditable, type EditOptions, JobConfigurationApi } from './job-configuration.api.js';
export { type ItemFacts, readItems, type RecordedRun, type ShardingInfo } from './item-facts.js';
export {
  type JobFacts,
  type JobPart,
  type OwnWords,
  jobNamesIn,
  type NodeReader,
  readJob,
  readJobs,
  settingsOf,
  statusOf,
  textLengthOf,
} from './job-facts.js';
export * from './job-operate.api.js';
export * from './operations.errors.js';
export type {
  CancelOutcome,
  ItemCancelOutcome,
  LossOutcome,
  ReshardOutcome,
  ResignOutcome,
  TriggerReceipt,
} from './requests.js';
export type { RerunPreview, RerunPreviewTarget } from './rerun-preview.js';
export type { RerunOptions } from './rerun-request.js';
export * from './rerun.errors.js';
export type { OpenRerun, RerunItemProgress, RerunReceipt } from './reruns.js';
export * from './sharding.api.js';
export * from './statistics.api.js';
export type { SwitchOutcome } from './switches.js';
