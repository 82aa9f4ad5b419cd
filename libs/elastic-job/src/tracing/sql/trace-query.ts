import type { ExecutionSource, JobName } from '../../domain/index.js';
import type { TraceState } from './trace-row.js';

/** Which rows, and how many of them, the newest first. */
export interface TraceQuery {
  /** @default every job */
  readonly jobName?: JobName;
  /** Of this task alone. */
  readonly taskId?: string;
  /** Not before this instant. */
  readonly from?: Date;
  /** Before this instant. */
  readonly to?: Date;
  /** Most rows of a page, from 1 to 1000. @default 100 */
  readonly limit?: number;
  /** Where the last page ended: its `cursor`. @default the newest */
  readonly cursor?: string;
}

export interface ExecutionQuery extends TraceQuery {
  /** Those that have succeeded, or those that have not, or not yet. @default both */
  readonly isSuccess?: boolean;
  /** @default every source */
  readonly source?: ExecutionSource;
}

/** A page of rows. */
export interface TracePage<Row> {
  readonly rows: readonly Row[];
  /** Of the next page; undefined if there is none. */
  readonly cursor: string | undefined;
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

/** One state of a task: of all items of an instance together. */
export interface StatusTrace {
  readonly id: string;
  readonly jobName: JobName;
  readonly taskId: string;
  /** The ip of the instance. */
  readonly slaveId: string;
  /** As in `[0, 1, 2]`. */
  readonly shardingItem: string;
  /** What a Java instance wrote may be another word. */
  readonly state: TraceState | (string & {});
  readonly message: string;
  readonly creationTime: Date;
}
