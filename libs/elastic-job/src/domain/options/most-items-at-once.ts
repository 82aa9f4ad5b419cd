import type { JobConfiguration } from './job-configuration.js';

/**
 * Most items of a job that run at the same time on one instance. Without `concurrency`, a thread pool size of Java
 * counts if it is named and known here. Every item of a resident job runs at all times.
 * @param processors those of this host
 * @see ElasticJob, `CPUUsageJobExecutorThreadPoolSizeProvider` and `SingleThreadJobExecutorThreadPoolSizeProvider`
 */
export function mostItemsAtOnce(
  configuration: Pick<JobConfiguration, 'concurrency' | 'jobExecutorThreadPoolSizeProviderType' | 'resident'>,
  processors: number,
): number {
  const { concurrency, jobExecutorThreadPoolSizeProviderType: poolSize, resident } = configuration;
  if (resident) return Infinity;
  if (typeof concurrency === 'number') return concurrency;
  switch (concurrency ?? poolSize?.toUpperCase()) {
    case 'CPU':
      return 2 * processors;
    case 'SINGLE_THREAD':
      return 1;
    default:
      return Infinity;
  }
}
