import type { FoundJob } from '../../coordination/index.js';
import {
  type JobName,
  messageOf,
  type ResolvedTemplateLimits,
  TemplateLimitError,
  type TemplateName,
} from '../../domain/index.js';
import type { JobEvents } from '../../tracing/index.js';

/** Most names of resting jobs that are reported: there may be any number of them. */
const MOST_NAMES = 10;

/** Jobs of one template that this process has not joined: there are more than `maxJobs`, or joining them fails. */
export interface RestingTemplateJobs {
  readonly template: TemplateName;
  /** Number of the jobs. */
  readonly count: number;
  /** The first ten of their names, the oldest job first. */
  readonly jobNames: readonly JobName[];
  readonly reason: string;
}

/**
 * Jobs that rest because their templates have too many. The oldest ones, in the order in which the registry created
 * their roots, do not rest; so every instance comes to the same result. Jobs that are being removed do not count.
 */
export class RestingJobs {
  private resting = new Map<TemplateName, RestingTemplateJobs>();
  private names: ReadonlySet<JobName> = new Set();

  /** @param limitsOf the limits of a template; undefined if it has none */
  constructor(
    private readonly events: JobEvents,
    private readonly limitsOf: (template: TemplateName) => ResolvedTemplateLimits | undefined,
  ) {}

  /** Templates with jobs that rest. */
  get all(): readonly RestingTemplateJobs[] {
    return [...this.resting.values()];
  }

  has(jobName: JobName): boolean {
    return this.names.has(jobName);
  }

  /** Looks at the jobs as they are now, and reports a template that has come beyond its limit. */
  look(found: ReadonlyMap<JobName, FoundJob>): void {
    const former = this.resting;
    const names = new Set<JobName>();
    this.resting = new Map();
    this.names = names;
    for (const [template, jobs] of byTemplate(found)) {
      const limits = this.limitsOf(template);
      if (limits === undefined || jobs.length <= limits.maxJobs) continue;
      const surplus = inOrder(jobs).slice(limits.maxJobs);
      for (const jobName of surplus) names.add(jobName);
      this.note(limits, jobs.length, surplus, former.has(template));
    }
  }

  private note(
    { maxJobs, template }: ResolvedTemplateLimits,
    jobs: number,
    surplus: readonly JobName[],
    isReported: boolean,
  ): void {
    const error = new TemplateLimitError(template, 'maxJobs', maxJobs, jobs);
    const { count, jobNames, text } = summary(surplus);
    const message = `jobs rest until others are removed: ${text}`;
    this.resting.set(template, { template, count, jobNames, reason: `${message}. ${error.message}` });
    if (!isReported) this.events.emit({ kind: 'error', jobName: undefined, message, error });
  }
}

type NamedJob = readonly [JobName, FoundJob];

function byTemplate(found: ReadonlyMap<JobName, FoundJob>): ReadonlyMap<TemplateName, readonly NamedJob[]> {
  const templates = new Map<TemplateName, NamedJob[]>();
  for (const job of found) {
    const { isBeingRemoved, template } = job[1];
    if (isBeingRemoved) continue;
    const jobs = templates.get(template);
    if (jobs === undefined) templates.set(template, [job]);
    else jobs.push(job);
  }
  return templates;
}

/** Names from the oldest job to the youngest; several that one transaction created, by their names. */
function inOrder(jobs: readonly NamedJob[]): readonly JobName[] {
  const isBefore = ([nameA, a]: NamedJob, [nameB, b]: NamedJob) =>
    a.czxid < b.czxid || (a.czxid === b.czxid && nameA < nameB);
  return jobs.toSorted((a, b) => (isBefore(a, b) ? -1 : 1)).map(([jobName]) => jobName);
}

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
    const { count, jobNames, text } = summary(jobs.map(([jobName]) => jobName));
    const cause = messageOf(jobs[0]![1].error);
    const reason = `jobs of template "${template}" could not be joined (${text}): ${cause}`;
    return { template, count, jobNames, reason };
  }
}

function summary(jobs: readonly JobName[]) {
  const count = jobs.length;
  const jobNames = jobs.slice(0, MOST_NAMES);
  const more = count > jobNames.length ? ` and ${count - jobNames.length} more` : '';
  return { count, jobNames, text: `${jobNames.join(', ')}${more}` };
}
