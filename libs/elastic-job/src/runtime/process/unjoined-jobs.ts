import { type JobName, messageOf, type TemplateName } from '../../domain/index.js';
import type { RestingTemplateJobs } from './resting-jobs.js';

/** Most names of jobs that are told: there may be any number of them. */
const MOST_TOLD = 10;

interface FailedJoin {
  readonly template: TemplateName;
  /** Error of the latest attempt. */
  readonly error: unknown;
}

/** Jobs of templates that this process could not join so far. It tries again until it can. */
export class UnjoinedJobs {
  /** The longest failing first. */
  private readonly failed = new Map<JobName, FailedJoin>();

  /** Templates with such jobs, each with the reason of the job that has failed longest. */
  get all(): readonly RestingTemplateJobs[] {
    const templates = new Set([...this.failed.values()].map(({ template }) => template));
    return [...templates].map((template) => this.of(template));
  }

  note(jobName: JobName, failed: FailedJoin): void {
    this.failed.set(jobName, failed);
  }

  /** Forgets a job that was joined, or is not to be joined any more. */
  forget(jobName: JobName): void {
    this.failed.delete(jobName);
  }

  clear(): void {
    this.failed.clear();
  }

  private of(template: TemplateName): RestingTemplateJobs {
    const jobs = [...this.failed].filter(([, failed]) => failed.template === template);
    const count = jobs.length;
    const jobNames = jobs.slice(0, MOST_TOLD).map(([jobName]) => jobName);
    const more = count > jobNames.length ? ` and ${count - jobNames.length} more` : '';
    const reason =
      `jobs of template "${template}" could not be joined (${jobNames.join(', ')}${more}): ` +
      messageOf(jobs[0]![1].error);
    return { template, count, jobNames, reason };
  }
}
