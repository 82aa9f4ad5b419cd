import type { Attention, JobStatus } from './job-answers.js';

/** Keys by which jobs are sorted; with `-` before it the order is descending. Jobs of one key come by their names. */
export const JOB_SORTS = ['job', 'status', 'attention', 'nextFireTime', 'running', 'items', 'instances'] as const;
export type JobSort = (typeof JOB_SORTS)[number];

export interface PageQuery {
  /** From the page before. */
  readonly cursor?: string;
  /** @default 50, at most 200 */
  readonly limit?: number;
}

export interface JobsQuery extends PageQuery {
  /** A part of the name, the description with its label, or the cron expression, whatever the case. */
  readonly q?: string;
  readonly status?: JobStatus;
  /** A reason, or `any`. */
  readonly attention?: Attention | 'any';
  readonly label?: string;
  readonly template?: string;
  /** Address of a server that has run the job. */
  readonly server?: string;
  /** @default 'job' */
  readonly sort?: JobSort | `-${JobSort}`;
}

export interface ServersQuery extends PageQuery {
  /** A part of the address, whatever the case. */
  readonly q?: string;
}

export interface AuditQuery extends PageQuery {
  readonly job?: string;
  /** Address of a server that was changed, in all jobs or in one. */
  readonly server?: string;
  readonly who?: string;
  readonly action?: string;
  readonly outcome?: string;
  /** ISO 8601. */
  readonly from?: string;
  readonly to?: string;
}

/** Topics of a stream that are about no single job; the others are `job:` and the name of one. */
export const TOPICS_OF_ALL: readonly string[] = ['overview', 'jobs', 'audit'];
