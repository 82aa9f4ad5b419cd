/**
 * Settings that ElasticJob does not have: entries of the node's `props`, which Java keeps and ignores. A key of their own at
 * top level would break every Java instance of the job.
 */
export const NESTJS_PROPS = {
  clockChange: 'nestjs.clockChange',
  concurrency: 'nestjs.concurrency',
  serverRetentionMinutes: 'nestjs.serverRetentionMinutes',
  shardingTimeoutMs: 'nestjs.shardingTimeoutMs',
  strategy: 'nestjs.strategy',
  timeZone: 'nestjs.timeZone',
  timeoutMs: 'nestjs.timeoutMs',
} as const;

/** True if Java reads the zone as well; it takes no other than those that begin so. */
export function isJavaTimeZone(timeZone: string): boolean {
  return timeZone.startsWith('GMT');
}
