// `nestjs-elastic-job/cloud`: jobs whose items run as tasks of their own.
export {
  CheckpointRefusedError,
  type Claimed,
  type CloudAppConfiguration,
  CloudAppDisabledError,
  CloudAppExistsError,
  type CloudAppOptions,
  type CloudApps,
  CloudConfigurations,
  type CloudJobChange,
  type CloudJobConfiguration,
  CloudJobDisabledError,
  type CloudJobExecutionType,
  CloudJobExistsError,
  type CloudJobOptions,
  type CloudJobs,
  LiveCloudSchedulerError,
  MissingTaskError,
  NewerTaskEnvelopeError,
  TaskBootTimeoutError,
  type SeenCloudJob,
  type StoredCloudNode,
  type TaskAllow,
  type TaskAnswers,
  type TaskBackend,
  type TaskBackendEvent,
  type TaskEndName,
  type TaskEnvelope,
  TaskEnvelopeError,
  type TaskHandle,
  type TaskHost,
  type TaskKey,
  type TaskKiller,
  TaskLeftError,
  type TaskLink,
  type TaskOrder,
  type TaskReport,
  type TaskResources,
  type TaskRetries,
  type TaskState,
  type TaskStateName,
  type TaskTarget,
  type TaskTemplate,
  UnknownCloudAppError,
  UnknownCloudJobError,
  UnknownTaskJobError,
} from '../../cloud/index.js';
export { type LiveTaskState, type TaskOptions, TaskTerminatedError } from '../../domain/index.js';
export { MissingRegistryError } from '../../registry/index.js';
export { type LocalProcessesOptions, LocalProcesses, TaskBackendError, TaskFailedError } from '../../cloud/index.js';
export type { ElasticJobCloudModuleOptions, TaskApp } from './cloud-module-options.js';
export { ElasticJobCloudModule } from './elastic-job-cloud.module.js';
export { isElasticJobTask } from './is-elastic-job-task.js';
export { runTask, type RunTaskOptions } from './run-task.js';
export type { ImportedModule } from './task.module.js';
export type { CloudTreeOptions } from './tree/cloud-tree-options.js';
export type { CloudRestOptions } from './rest/cloud-rest-options.js';
