import type { Kysely } from 'kysely';
import type { ExecutionRow, StatusRow } from './trace-row.js';

/** ElasticJob's tables, with names in the dialect's case. @see TraceDialect.names */
export interface TraceDatabase {
  readonly jobExecutionLog: ExecutionTable;
  readonly jobStatusTraceLog: StatusTable;
}

export type TraceDb = Kysely<TraceDatabase>;

/** The user's database, typed as one that has the tables, without the user's plugins, which may change names. */
export function asTraceDb<Database>(db: Kysely<Database>): TraceDb {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- which tables there are is not known to the types
  return db.withoutPlugins() as unknown as TraceDb;
}

/** Values that drivers accept and return for a TIMESTAMP. */
export type StoredTime = Date | number | string;

/** `JOB_EXECUTION_LOG`. */
type ExecutionTable = Omit<ExecutionRow, 'table' | 'isSuccess' | 'startTime' | 'completeTime'> & {
  readonly isSuccess: boolean | number | Uint8Array;
  readonly startTime: StoredTime | null;
  readonly completeTime: StoredTime | null;
};

/** `JOB_STATUS_TRACE_LOG`. Rows of other writers may have any state, and no message. */
type StatusTable = Omit<StatusRow, 'table' | 'state' | 'message' | 'creationTime'> & {
  readonly originalTaskId: string;
  readonly source: string | null;
  readonly executionType: string;
  readonly state: string;
  readonly message: string | null;
  readonly creationTime: StoredTime | null;
};
