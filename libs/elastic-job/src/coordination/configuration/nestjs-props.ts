/**
 * Settings that ElasticJob does not have: entries of the node's `props`, which Java keeps and ignores. A key of their
 * own at top level would break every Java instance of the job.
 */
export const NESTJS_PROPS = {
  clockChange: 'nestjs.clockChange',
  concurrency: 'nestjs.concurrency',
  jobErrorHandlerType: 'nestjs.jobErrorHandlerType',
  jobExecutorThreadPoolSizeProviderType: 'nestjs.jobExecutorThreadPoolSizeProviderType',
  /** Separated by commas. */
  jobListenerTypes: 'nestjs.jobListenerTypes',
  serverRetentionMinutes: 'nestjs.serverRetentionMinutes',
  shardingTimeoutMs: 'nestjs.shardingTimeoutMs',
  strategy: 'nestjs.strategy',
  timeZone: 'nestjs.timeZone',
  timeoutMs: 'nestjs.timeoutMs',
  onHung: 'nestjs.onHung',
  shutdownGraceMs: 'nestjs.shutdownGraceMs',
  failoverQueueLimit: 'nestjs.failoverQueueLimit',
  maxExecutorFailovers: 'nestjs.maxExecutorFailovers',
  resident: 'nestjs.resident',
  misfirePolicy: 'nestjs.misfirePolicy',
  misfireLimit: 'nestjs.misfireLimit',
  maxAttempts: 'nestjs.maxAttempts',
  retryDelayMs: 'nestjs.retryDelayMs',
  retryFactor: 'nestjs.retryFactor',
  retryMaxDelayMs: 'nestjs.retryMaxDelayMs',
  retryJitter: 'nestjs.retryJitter',
  /** Separated by commas. */
  after: 'nestjs.after',
  /** Of a job that was created from a template: what the node leaves out is as the template says. */
  template: 'nestjs.template',
} as const;

/** Every key of ours begins so, those of other versions as well; ours go on with the name in `JobConfiguration`. */
export const NESTJS_PREFIX = 'nestjs.';

/** The setting has no value, whatever the local options say. */
export const NONE = 'none';
