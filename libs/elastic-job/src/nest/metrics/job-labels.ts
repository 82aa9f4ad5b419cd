import type { JobName } from '../../domain/index.js';
import { LabelValues, OTHER_VALUES } from '../../tracing/index.js';

/**
 * Labels of this process's jobs, up to a limit. A label is freed, with all series that have it, once its job has left
 * the process for good and a scrape has shown the last values: created jobs come and go without end.
 */
export class JobLabels implements Pick<LabelValues, 'of'> {
  private readonly labels: LabelValues;
  /** Jobs that have left, whose last values a scrape has shown. */
  private shown = new Set<JobName>();
  private readonly freed: ((job: string) => void)[] = [];

  /** @param isHere true for a job of which items may run in this process */
  constructor(
    limit: number,
    private readonly isHere: (jobName: JobName) => boolean,
  ) {
    this.labels = new LabelValues(limit);
  }

  /** The job's name, or `other` beyond the limit and for jobs of other processes. */
  of(jobName: JobName): string {
    return this.labels.has(jobName) || this.isHere(jobName) ? this.labels.of(jobName) : OTHER_VALUES;
  }

  /** Calls back with each label that is freed. */
  onFreed(listener: (job: string) => void): void {
    this.freed.push(listener);
  }

  /** Must be called when a scrape begins. */
  scrape(): void {
    const gone = [...this.labels].filter((jobName) => !this.isHere(jobName));
    for (const jobName of gone.filter((one) => this.shown.has(one))) {
      this.labels.release(jobName);
      for (const listener of this.freed) listener(jobName);
    }
    this.shown = new Set(gone);
  }
}
