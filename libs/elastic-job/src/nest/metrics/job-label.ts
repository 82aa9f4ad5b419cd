import type { JobName } from '../../domain/index.js';

/** Stands for every job beyond the limit. */
export const OTHER_JOBS = 'other';

/**
 * The values of the label `job`: as many names as the limit says, the first ones that something happened to. A process that
 * adds jobs as it runs would else make series without end, and each costs its memory here and in Prometheus for good.
 */
export class JobLabel {
  private readonly known = new Set<JobName>();

  constructor(private readonly limit: number) {}

  of(jobName: JobName): string {
    if (this.known.has(jobName)) return jobName;
    if (this.known.size >= this.limit) return OTHER_JOBS;
    this.known.add(jobName);
    return jobName;
  }
}
