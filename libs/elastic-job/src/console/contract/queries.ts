import type { RunOutcomeAnswer } from './history-answers.js';
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

/** `csv`: the same rows as a table. So does the header `Accept: text/csv`. */
export const HISTORY_FORMATS = ['json', 'csv'] as const;

/** A page of the history, the newest rows first. */
interface TableQuery extends PageQuery {
  /** @default 'json' */
  readonly format?: (typeof HISTORY_FORMATS)[number];
  /** ISO 8601. */
  readonly from?: string;
  readonly to?: string;
}

export interface RunsQuery extends TableQuery {
  readonly job?: string;
  /** Item numbers are those of one job, so it needs `job`. */
  readonly item?: number;
  /** Only runs for this fire time. */
  readonly fireTime?: string;
  /** `schedule`, `resident`, `manual` and `rerun`, or `manual:{id}` and `rerun:{id}`. */
  readonly origin?: string;
  readonly source?: 'NORMAL_TRIGGER' | 'MISFIRE' | 'FAILOVER';
  readonly outcome?: RunOutcomeAnswer;
  readonly instance?: string;
  readonly version?: string;
  /** Only targets that have succeeded more than once: all of their runs, in one page. */
  readonly twice?: boolean;
}

export interface EventsQuery extends TableQuery {
  readonly job?: string;
  /** Kinds, with commas between them. */
  readonly kinds?: string;
  /** Needs `job`. */
  readonly item?: number;
  readonly instance?: string;
}

export interface MissedQuery extends TableQuery {
  readonly job?: string;
  /** Needs `job`. */
  readonly item?: number;
}

export interface JobHistoryQuery {
  /** @default as long ago as `limit` fire times take */
  readonly from?: string;
  /** @default now */
  readonly to?: string;
  /** Most fire times, the newest ones. @default 45, at most 200 */
  readonly limit?: number;
}

export interface StatisticsQuery {
  /** @default a day before `to` */
  readonly from?: string;
  /** @default now */
  readonly to?: string;
  /** @default 60, at most 200 */
  readonly buckets?: number;
}

/** Topics of a stream that are about no single job; the others are `job:` and the name of one. */
export const TOPICS_OF_ALL: readonly string[] = ['overview', 'jobs', 'audit'];
