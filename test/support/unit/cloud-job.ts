import type { CloudJobOptions } from '../../../libs/elastic-job/src/cloud/index.js';

/** A transient job of ElasticJob-Cloud with ordinary options. */
export const CLOUD_JOB: CloudJobOptions = {
  appName: 'shop',
  cpuCount: 0.5,
  memoryMB: 64,
  jobExecutionType: 'TRANSIENT',
  jobName: 'settle',
  cron: '0/5 * * * * ?',
  shardingTotalCount: 3,
};
