import {
  type JobConfiguration,
  type JobOptions,
  resolveJobOptions,
  type ShardingStrategy,
} from '../../../libs/elastic-job/src/domain/index.js';

export const byRegion: ShardingStrategy = { type: 'BY_REGION', shard: () => new Map() };

/** The text that Java's builder writes for a job with name, count and cron. */
export const FROM_JAVA = `cron: 0/5 * * * * ?
description: ''
disabled: false
failover: false
jobName: myJob
jobParameter: ''
maxTimeDiffSeconds: -1
misfire: true
monitorExecution: true
overwrite: false
reconcileIntervalMinutes: 10
shardingItemParameters: ''
shardingTotalCount: 1
staticSharding: false
`;

/** The text with every Java setting. */
export const FULL_FROM_JAVA = `cron: 0/5 * * * * ?
description: desc
disabled: true
failover: true
jobErrorHandlerType: LOG
jobExecutorThreadPoolSizeProviderType: SINGLE_THREAD
jobExtraConfigurations:
- !!org.apache.shardingsphere.elasticjob.kernel.tracing.yaml.YamlTracingConfiguration
  tracingStorageConfiguration: !!org.apache.shardingsphere.elasticjob.tracing.rdb.yaml.YamlDataSourceConfiguration
    dataSourceClassName: com.zaxxer.hikari.HikariDataSource
    props:
      jdbcUrl: jdbc:h2:mem:job_event_storage
  type: RDB
jobListenerTypes:
- l1
jobName: myJob
jobParameter: p
jobShardingStrategyType: ODEVITY
label: lb
maxTimeDiffSeconds: 10
misfire: false
monitorExecution: false
overwrite: true
props:
  script.command.line: echo hi
  n: '5'
reconcileIntervalMinutes: 0
shardingItemParameters: 0=a,1=b,2=c
shardingTotalCount: 3
staticSharding: true
timeZone: GMT+8:00
`;

/** Every option except the name. */
export const everything: Partial<JobOptions> = {
  cron: '*/5 * * * * ?',
  timeZone: 'Europe/Berlin',
  clockChange: 'quartz',
  shardingTotalCount: 2,
  shardingItemParameters: '0=作业,1= it is: fine #1',
  jobParameter: 'true',
  strategy: byRegion,
  failover: true,
  misfirePolicy: 'all',
  misfireLimit: 7,
  maxAttempts: 3,
  retryDelayMs: 10,
  retryFactor: 1.5,
  retryMaxDelayMs: 100,
  retryJitter: 0,
  monitorExecution: true,
  disabled: true,
  overwrite: true,
  description: `several\nlines: ${'word '.repeat(40)}`,
  maxTimeDiffSeconds: 5,
  reconcileIntervalMinutes: -1,
  shardingTimeoutMs: 1,
  timeoutMs: 2,
  concurrency: 3,
  failoverQueueLimit: 4,
  maxExecutorFailovers: 5,
  staticSharding: true,
  label: 'lb',
  props: { 'script.command.line': 'echo hi', true: '012' },
  jobExecutorThreadPoolSizeProviderType: 'SINGLE_THREAD',
  jobErrorHandlerType: 'PAGER',
  jobListenerTypes: ['audit', 'metrics'],
  jobExtraConfigurations: '- !!com.acme.Tracing\n  password: secret',
  serverRetentionMinutes: 0,
  onHung: 'release' as const,
};

/** A job of the texts above. */
export function jobOf(options: Partial<JobOptions> = {}): JobConfiguration {
  return resolveJobOptions(
    { name: 'myJob', cron: '0/5 * * * * ?', shardingTotalCount: 1, ...options },
    { place: 'job "myJob"' },
  );
}
