import type { ExecutionSource, JobName } from '../domain/index.js';

/** Filter for rows of a query. */
export interface TraceFilter {
  /** @default every job */
  readonly jobName?: JobName;
  /** Only this task. */
  readonly taskId?: string;
  /** Only rows from this instant on. */
  readonly from?: Date;
  /** Only rows before this instant. */
  readonly to?: Date;
}

/** Filter for runs of a query. */
export interface ExecutionFilter extends TraceFilter {
  /** True: only successful runs; false: only others, unfinished ones included. @default both */
  readonly isSuccess?: boolean;
  /** True: only runs whose end was written; false: only others. @default both */
  readonly isComplete?: boolean;
  /** Only runs that ran at this instant, or whose end was never written. @default all */
  readonly runningAt?: Date;
  /** Only runs of this item. Item numbers are those of one job, so give `jobName` as well. @default every item */
  readonly shardingItem?: number;
  /** @default every source */
  readonly source?: ExecutionSource;
}

/** Page of a query, the newest rows first. */
export interface TracePageQuery {
  /** Most rows of a page, from 1 to 1000. @default 100 */
  readonly limit?: number;
  /** The `cursor` of the last page. @default the newest rows */
  readonly cursor?: string;
}

export interface TraceQuery extends TraceFilter, TracePageQuery {}

export interface ExecutionQuery extends ExecutionFilter, TracePageQuery {}

/** A page of rows. */
export interface TracePage<Row> {
  readonly rows: readonly Row[];
  /** Cursor of the next page; undefined if there is none. */
  readonly cursor: string | undefined;
}

/** Number of the runs that a query selects, and of their jobs. */
export interface ExecutionCount {
  readonly executions: number;
  readonly jobs: number;
}

/** One run of an item. */
export interface ExecutionTrace {
  readonly id: string;
  readonly jobName: JobName;
  readonly taskId: string;
  readonly hostname: string;
  readonly ip: string;
  readonly shardingItem: number;
  /** `NORMAL_TRIGGER`, `MISFIRE` or `FAILOVER`. */
  readonly source: string;
  readonly isSuccess: boolean;
  readonly failureCause: string | undefined;
  readonly startTime: Date;
  /** Undefined while it runs, or if its end was never written. */
  readonly completeTime: Date | undefined;
}

/**
 * States of a job without ElasticJob-Cloud. Only Java writes TASK_STAGING.
 * @see ElasticJob, `JobStatusTraceEvent.State`
 */
export type TraceState = 'TASK_STAGING' | 'TASK_RUNNING' | 'TASK_FINISHED' | 'TASK_ERROR';

/** One state of a task, which is all items of an instance together. */
export interface StatusTrace {
  readonly id: string;
  readonly jobName: JobName;
  readonly taskId: string;
  /** The ip of the instance. */
  readonly slaveId: string;
  /** For example `[0, 1, 2]`. */
  readonly shardingItem: string;
  /** A Java instance may have written another state. */
  readonly state: TraceState | (string & {});
  readonly message: string;
  readonly creationTime: Date;
}

/** A readable history of runs, such as `SqlHistory`. */
export interface RunHistory {
  /** Creates or changes the tables, once. */
  migrate(): Promise<void>;
  executions(query: ExecutionQuery): Promise<TracePage<ExecutionTrace>>;
  statuses(query: TraceQuery): Promise<TracePage<StatusTrace>>;
  countExecutions(filter: ExecutionFilter): Promise<ExecutionCount>;
  countStatuses(filter: TraceFilter): Promise<number>;
}
