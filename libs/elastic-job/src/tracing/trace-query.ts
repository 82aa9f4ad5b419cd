import type { ExecutionSource, JobName } from '../domain/index.js';

/** The rows that a query is about. */
export interface TraceFilter {
  /** @default every job */
  readonly jobName?: JobName;
  /** Of this task alone. */
  readonly taskId?: string;
  /** Not before this instant. */
  readonly from?: Date;
  /** Before this instant. */
  readonly to?: Date;
}

/** The runs that a query is about. */
export interface ExecutionFilter extends TraceFilter {
  /** Those that have succeeded, or those that have not, or not yet. @default both */
  readonly isSuccess?: boolean;
  /** Those whose end was written, or the others. @default both */
  readonly isComplete?: boolean;
  /** Those that ran at this instant, or whose end was never written. @default all */
  readonly runningAt?: Date;
  /** @default every source */
  readonly source?: ExecutionSource;
}

/** How many rows, the newest first. */
export interface TracePageQuery {
  /** Most rows of a page, from 1 to 1000. @default 100 */
  readonly limit?: number;
  /** Where the last page ended: its `cursor`. @default the newest */
  readonly cursor?: string;
}

export interface TraceQuery extends TraceFilter, TracePageQuery {}

export interface ExecutionQuery extends ExecutionFilter, TracePageQuery {}

/** A page of rows. */
export interface TracePage<Row> {
  readonly rows: readonly Row[];
  /** Of the next page; undefined if there is none. */
  readonly cursor: string | undefined;
}

/** The number of the runs that a query is about, and of the jobs that they are of. */
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
  /** Undefined: it runs, or its end was never written. */
  readonly completeTime: Date | undefined;
}

/** @see ElasticJob, `JobStatusTraceEvent.State`: those of a job without ElasticJob-Cloud. Java alone writes TASK_STAGING. */
export type TraceState = 'TASK_STAGING' | 'TASK_RUNNING' | 'TASK_FINISHED' | 'TASK_ERROR';

/** One state of a task: of all items of an instance together. */
export interface StatusTrace {
  readonly id: string;
  readonly jobName: JobName;
  readonly taskId: string;
  /** The ip of the instance. */
  readonly slaveId: string;
  /** As in `[0, 1, 2]`. */
  readonly shardingItem: string;
  /** A Java instance may have written another word. */
  readonly state: TraceState | (string & {});
  readonly message: string;
  readonly creationTime: Date;
}

/** A history of runs that can be read, as `SqlHistory` is. */
export interface RunHistory {
  /** Creates or changes the tables, once. */
  migrate(): Promise<void>;
  executions(query: ExecutionQuery): Promise<TracePage<ExecutionTrace>>;
  statuses(query: TraceQuery): Promise<TracePage<StatusTrace>>;
  countExecutions(filter: ExecutionFilter): Promise<ExecutionCount>;
  countStatuses(filter: TraceFilter): Promise<number>;
}
