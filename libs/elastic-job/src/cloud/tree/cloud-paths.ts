import type { JobName } from '../../domain/index.js';
import { formatMetaInfo } from './cloud-task-id.js';

/**
 * Paths of ElasticJob-Cloud's tree, below a namespace of its own. No other file writes them. `/state/takeover` and its
 * latch are ours; `/state/ready`, `/state/running` and `/state/failover` are only read, and emptied, when a namespace
 * is taken over.
 * @see ElasticJob-Cloud 3.0.2, `CloudAppConfigurationNode`, `CloudJobConfigurationNode`, `StateNode` and `HANode`
 */
export const CLOUD_PATHS = {
  config: '/config',
  apps: '/config/app',
  jobs: '/config/job',
  disabled: '/state/disable',
  disabledApps: '/state/disable/app',
  disabledJobs: '/state/disable/job',
  /** A decimal number for each job: its owed runs. */
  ready: '/state/ready',
  /** Task ids by job and item, of daemons only. */
  running: '/state/running',
  /** Task ids by job and item. */
  failover: '/state/failover',
  /** Findings of a takeover for each job, until they have been passed on. */
  takeovers: '/state/takeover',
  /** Curator's latch of the scheduler that passes them on. */
  takeoverLatch: '/state/takeover-latch',
  ha: '/ha',
  frameworkId: '/ha/framework_id',
  /** The lock of ElasticJob-Cloud's leader; its children are the candidates. */
  election: '/ha/election',

  app: (appName: string) => `/config/app/${appName}`,
  job: (jobName: JobName) => `/config/job/${jobName}`,
  disabledApp: (appName: string) => `/state/disable/app/${appName}`,
  disabledJob: (jobName: JobName) => `/state/disable/job/${jobName}`,
  readyJob: (jobName: JobName) => `/state/ready/${jobName}`,
  runningJob: (jobName: JobName) => `/state/running/${jobName}`,
  runningItem: (jobName: JobName, item: number) => `/state/running/${jobName}/${formatMetaInfo(jobName, [item])}`,
  failoverJob: (jobName: JobName) => `/state/failover/${jobName}`,
  failoverItem: (jobName: JobName, item: number) => `/state/failover/${jobName}/${formatMetaInfo(jobName, [item])}`,
  takeover: (jobName: JobName) => `/state/takeover/${jobName}`,
} as const;
