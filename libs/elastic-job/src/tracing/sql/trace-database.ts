import type { Kysely } from 'kysely';

/** ElasticJob's tables. Names and cases are those of the dialect: @see TraceDialect.names */
export interface TraceDatabase {
  readonly jobExecutionLog: ExecutionTable;
  readonly jobStatusTraceLog: StatusTable;
}

export type TraceDb = Kysely<TraceDatabase>;

/** The user's database, seen as one that has the tables, and without whatever the user's plugins do to names. */
export function asTraceDb<Database>(db: Kysely<Database>): TraceDb {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- which tables there are is not known to the types
  return db.withoutPlugins() as unknown as TraceDb;
}

/** What a driver takes and gives for a TIMESTAMP. */
export type StoredTime = Date | number | string;

export interface ExecutionTable {
  readonly id: string;
  readonly jobName: string;
  readonly taskId: string;
  readonly hostname: string;
  readonly ip: string;
  readonly shardingItem: number;
  readonly executionSource: string;
  readonly failureCause: string | null;
  readonly isSuccess: boolean | number;
  readonly startTime: StoredTime | null;
  readonly completeTime: StoredTime | null;
}

export interface StatusTable {
  readonly id: string;
  readonly jobName: string;
  readonly originalTaskId: string;
  readonly taskId: string;
  readonly slaveId: string;
  readonly source: string | null;
  readonly executionType: string;
  readonly shardingItem: string;
  readonly state: string;
  readonly message: string | null;
  readonly creationTime: StoredTime | null;
}
