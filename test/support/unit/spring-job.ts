/** An application.yml of one job with a setting, which stands in line 5. */
export function springJob(setting: string): string {
  return `elasticjob:\n  jobs:\n    j:\n      shardingTotalCount: 3\n      ${setting}`;
}
