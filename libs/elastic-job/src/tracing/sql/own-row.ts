/** Values that drivers return for a BIGINT. That of PostgreSQL returns a text. */
export type StoredNumber = number | string | bigint;

/** Our own tables, with names in the dialect's case. All instants are milliseconds since the epoch. */
export interface OwnDatabase {
  readonly elasticJobRun: RunTable;
  readonly elasticJobAttempt: AttemptTable;
  readonly elasticJobEvent: EventTable;
  readonly elasticJobStat: StatTable;
}

/** `ELASTIC_JOB_RUN`: one row for each begun target of an item. */
interface RunTable {
  /** That of its row of `JOB_EXECUTION_LOG`, which is written once its handler is called. */
  readonly id: string;
  readonly jobName: string;
  readonly shardingItem: number;
  readonly fireTime: StoredNumber | null;
  readonly origin: string;
  readonly source: string;
  /** `succeeded`, `failed`, `aborted` or `fenced`; null until it is settled. */
  readonly outcome: string | null;
  readonly cause: string | null;
  readonly run: string | null;
  readonly token: string | null;
  readonly epoch: StoredNumber | null;
  readonly instance: string;
  readonly version: string | null;
  readonly taskId: string;
  readonly launch: number | null;
  readonly begunAt: StoredNumber;
  /** Null until its handler is called. */
  readonly startedAt: StoredNumber | null;
  readonly settledAt: StoredNumber | null;
  readonly latenessMs: StoredNumber | null;
  readonly attempts: number;
}

/** `ELASTIC_JOB_ATTEMPT`: one row for each call of the handler of a run that was retried. */
interface AttemptTable {
  /** `{id of the run's row}-{attempt}` */
  readonly id: string;
  readonly runId: string;
  readonly jobName: string;
  readonly shardingItem: number;
  readonly attempt: number;
  readonly startedAt: StoredNumber;
  readonly endedAt: StoredNumber | null;
  readonly error: string | null;
}

/** `ELASTIC_JOB_EVENT` */
interface EventTable {
  readonly id: string;
  readonly jobName: string | null;
  readonly kind: string;
  readonly toldAt: StoredNumber;
  /** For example `,3,5,`; `*` if they are too many for the column, null if it is about no item. */
  readonly items: string | null;
  readonly fireTime: StoredNumber | null;
  readonly sinceAt: StoredNumber | null;
  readonly instance: string | null;
  /** Its other fields, as JSON. */
  readonly detail: string;
}

/** `ELASTIC_JOB_STAT`: totals of ten minutes for each job and writer. */
interface StatTable {
  readonly id: string;
  readonly jobName: string;
  /** Id of an instance. */
  readonly writer: string;
  readonly sinceAt: StoredNumber;
  readonly succeeded: number;
  readonly failed: number;
  readonly aborted: number;
  readonly retried: number;
  readonly failedOver: number;
  readonly missed: number;
  readonly durationMs: StoredNumber;
  readonly longestMs: StoredNumber;
  readonly latestMs: StoredNumber;
  /** JSON: counts by bucket. Bucket n has the values below 1.05 to the power of n that are in no bucket before. */
  readonly durations: string;
  readonly latenesses: string;
}
