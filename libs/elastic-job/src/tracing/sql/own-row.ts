import type { SettledOutcome } from '../../domain/index.js';

/** Identity of a row of a history. Later versions of the row have the same. */
export interface RowIdentity {
  /** Its primary key, which is different from those of all other instances. */
  readonly id: string;
  /** Its number among the rows of this process. It is found by it faster than by the id, and is not written. */
  readonly number: number;
}

/** `ELASTIC_JOB_RUN`: one row for each begun target of an item. All times are milliseconds since the epoch. */
export interface RunRow extends RowIdentity {
  readonly table: 'run';
  /** That of its row of `JOB_EXECUTION_LOG`, which is written once its handler is called. */
  readonly id: string;
  readonly jobName: string;
  readonly shardingItem: number;
  readonly fireTime: number;
  readonly origin: string;
  readonly source: string;
  /** Null until it is settled. */
  readonly outcome: SettledOutcome['kind'] | null;
  /** A word that says more of the outcome. */
  readonly cause: string | null;
  /** Those of the record in the registry; null without `monitorExecution`. */
  readonly run: string | null;
  readonly token: string | null;
  readonly launch: number | null;
  readonly epoch: number | null;
  readonly instance: string;
  readonly version: string | null;
  readonly taskId: string;
  readonly begunAt: number;
  /** Null until its handler is called, as the lateness is. */
  readonly startedAt: number | null;
  readonly settledAt: number | null;
  /** Null also for a run that is never due. */
  readonly latenessMs: number | null;
  /** Calls of its handler. */
  readonly attempts: number;
}

/** `ELASTIC_JOB_ATTEMPT`: one row for each call of the handler of a run that was retried. */
export interface AttemptRow extends RowIdentity {
  readonly table: 'attempt';
  /** `{id of the run's row}-{attempt}` */
  readonly id: string;
  readonly runId: string;
  readonly jobName: string;
  readonly shardingItem: number;
  readonly attempt: number;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly error: string | null;
}

/** `ELASTIC_JOB_EVENT` */
export interface EventRow extends RowIdentity {
  readonly table: 'event';
  readonly jobName: string | null;
  readonly kind: string;
  readonly toldAt: number;
  /** For example `,3,5,`; `*` if they are too many for the column, null if it is about no item. */
  readonly items: string | null;
  readonly fireTime: number | null;
  readonly sinceAt: number | null;
  /** The instance that has told it. */
  readonly instance: string | null;
  /** Its other fields, as JSON. */
  readonly detail: string;
}

/** Name in the totals of all jobs of a writer. No job has it. */
export const ALL_JOBS = '';

/** `ELASTIC_JOB_STAT`: totals of ten minutes for each job and writer, and for all jobs of a writer. */
export interface StatRow extends RowIdentity {
  readonly table: 'stat';
  readonly jobName: string;
  /** Id of an instance. */
  readonly writer: string;
  readonly sinceAt: number;
  /** Ends of items. A run that was fenced counts as aborted. */
  readonly succeeded: number;
  readonly failed: number;
  readonly aborted: number;
  /** Retries. */
  readonly retried: number;
  /** Ends of items that were failed over to here. */
  readonly failedOver: number;
  /** Fire times of items that were not begun: at most 1,000 for each item and event. */
  readonly missed: number;
  readonly durationMs: number;
  readonly longestMs: number;
  /** The largest lateness. */
  readonly latestMs: number;
  /** JSON: counts by bucket. Bucket n has the values below 1.05 to the power of n that are in no bucket before. */
  readonly durations: string;
  readonly latenesses: string;
}

/** A row of our own tables. */
export type OwnRow = RunRow | AttemptRow | EventRow | StatRow;

/** Values that drivers return for a BIGINT. That of PostgreSQL returns a text. */
export type StoredNumber = number | string | bigint;

/** A row as it is stored. Others may have written any word. */
type Stored<Row extends OwnRow, Large extends keyof Row> = Omit<Row, 'table' | 'number' | 'outcome' | Large> & {
  readonly [Column in Large]: StoredNumber | Extract<Row[Column], null>;
};

/** Our own tables, with names in the dialect's case. */
export interface OwnDatabase {
  readonly elasticJobRun: Stored<
    RunRow,
    'fireTime' | 'epoch' | 'begunAt' | 'startedAt' | 'settledAt' | 'latenessMs'
  > & { readonly outcome: string | null };
  readonly elasticJobAttempt: Stored<AttemptRow, 'startedAt' | 'endedAt'>;
  readonly elasticJobEvent: Stored<EventRow, 'toldAt' | 'fireTime' | 'sinceAt'>;
  readonly elasticJobStat: Stored<StatRow, 'sinceAt' | 'durationMs' | 'longestMs' | 'latestMs'>;
}
