import type { Kysely } from 'kysely';
import type { TraceState } from '../trace-query.js';
import type { OwnDatabase, OwnRow, RowIdentity } from './own-row.js';

/** Run of one item, as a row of `JOB_EXECUTION_LOG`. Times are milliseconds since the epoch. */
export interface ExecutionRow extends RowIdentity {
  readonly table: 'execution';
  readonly jobName: string;
  readonly taskId: string;
  readonly hostname: string;
  readonly ip: string;
  readonly shardingItem: number;
  readonly executionSource: string;
  readonly failureCause: string | null;
  readonly isSuccess: boolean;
  readonly startTime: number;
  /** Null while it runs. */
  readonly completeTime: number | null;
}

/** State of a run of an instance's items together, as a row of `JOB_STATUS_TRACE_LOG`. */
export interface StatusRow extends RowIdentity {
  readonly table: 'status';
  readonly jobName: string;
  readonly taskId: string;
  readonly slaveId: string;
  readonly shardingItem: string;
  readonly state: TraceState;
  readonly message: string;
  readonly creationTime: number;
}

export type TraceRow = ExecutionRow | StatusRow | OwnRow;

/** The instant of what a row tells, in milliseconds since the epoch; undefined for a sum, which comes again. */
export function timeOf(row: TraceRow): number | undefined {
  switch (row.table) {
    case 'execution':
      return row.startTime;
    case 'status':
      return row.creationTime;
    case 'run':
      return row.begunAt;
    case 'attempt':
      return row.startedAt;
    case 'event':
      return row.toldAt;
    default:
      return undefined;
  }
}

/**
 * The part of a text that fits a column, without half of a surrogate pair, and without NUL, which PostgreSQL refuses.
 */
export function fitting(text: string, units: number): string {
  const clean = text.includes('\0') ? text.replaceAll('\0', '') : text;
  if (clean.length <= units) return clean;
  const cut = clean.slice(0, units);
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/** The tables, with names in the dialect's case. @see TraceDialect.names */
export interface TraceDatabase extends OwnDatabase {
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
