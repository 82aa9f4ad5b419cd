import type { JobConfigurationApi, JobOperateApi, ShardingOperateApi } from '../../operations/index.js';
import type { Audit } from '../audit/index.js';
import type { JobAnswer } from '../contract/index.js';

/** Writes down who does what. */
export type AuditTrail = Pick<Audit, 'record'>;

/** The commands of `JobOperateApi` that a change gives. */
export type JobCommands = Pick<
  JobOperateApi,
  | 'create'
  | 'trigger'
  | 'cancel'
  | 'enable'
  | 'disable'
  | 'reshard'
  | 'resign'
  | 'rerun'
  | 'previewRerun'
  | 'withdrawRerun'
  | 'reruns'
  | 'confirmLost'
  | 'shutdown'
  | 'remove'
  | 'enableServer'
  | 'disableServer'
  | 'shutdownServer'
  | 'removeServer'
  | 'dump'
>;

/** The commands of `ShardingOperateApi` that a change gives. */
export type ItemCommands = Pick<ShardingOperateApi, 'enable' | 'disable'>;

/** The commands of `JobConfigurationApi` that a change gives. */
export type Configurations = Pick<
  JobConfigurationApi,
  'getJobConfiguration' | 'updateJobConfiguration' | 'previewJobConfiguration' | 'removeJobConfiguration'
>;

/** Facts of a job that a change has to know. */
export type JobAbout = Pick<JobAnswer, 'job' | 'configVersion' | 'javaInstances' | 'registeredIn' | 'template'>;

/** @throws {UnknownJobError} */
export type FindJob = (job: string) => Promise<JobAbout>;
