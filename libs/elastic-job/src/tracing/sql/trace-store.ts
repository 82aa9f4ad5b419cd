import { sql } from 'kysely';
import type { ExecutionTable, StatusTable, StoredTime, TraceDatabase, TraceDb } from './trace-database.js';
import type { TraceDialect } from './trace-dialect.js';
import { migrateTraces } from './trace-migrations.js';
import type { ExecutionRow, StatusRow, TraceRow } from './trace-row.js';

const NAMES = {
  jobExecutionLog: ['JOB_EXECUTION_LOG', 'start_time'],
  jobStatusTraceLog: ['JOB_STATUS_TRACE_LOG', 'creation_time'],
} as const;

/** The two tables in one database. Rejects with what the driver says; knows neither time nor patience. */
export class TraceStore {
  /** With the dialect's names. */
  readonly db: TraceDb;
  private isMigrated = false;

  constructor(
    private readonly plain: TraceDb,
    readonly dialect: TraceDialect,
  ) {
    this.db = plain.withPlugin(dialect.names);
  }

  /** Whether the tables are there, as far as is known. */
  get isOpen(): boolean {
    return this.isMigrated;
  }

  /** Migrates the tables, once. */
  async open(): Promise<void> {
    if (this.isMigrated) return;
    await migrateTraces(this.plain, this.dialect);
    this.isMigrated = true;
  }

  /** All of them or none. May be repeated; rows may come in any order of their versions. */
  async write(rows: readonly TraceRow[]): Promise<void> {
    const executions = rows.filter((row) => row.table === 'execution');
    const started = executions.filter(({ completeTime }) => completeTime === null);
    const completed = executions.filter(({ completeTime }) => completeTime !== null);
    const statuses = rows.filter((row) => row.table === 'status');
    const { orKeep, orComplete } = this.dialect;
    await this.db.transaction().execute(async (trx) => {
      await this.insertExecutions(trx, started, orKeep);
      await this.insertExecutions(trx, completed, orComplete);
      await this.insertStatuses(trx, statuses);
    });
  }

  /** Resolves if the database answers at all. */
  async ping(): Promise<void> {
    await sql`select 1`.execute(this.db);
  }

  /** The time of the oldest of the newest `count` rows of a table; undefined if there are not so many. */
  async timeOfRow(count: number, table: keyof TraceDatabase): Promise<StoredTime | undefined> {
    const [name, column] = NAMES[table];
    const [time, offset] = [sql.raw(column), sql.lit(count - 1)];
    const query = sql<{ time: StoredTime }>`select ${time} as time from ${sql.raw(name)}
      where ${time} is not null order by ${time} desc limit 1 offset ${offset}`;
    return (await query.execute(this.db)).rows[0]?.time;
  }

  /** @returns how many rows were deleted: `count` at most, the oldest first */
  async deleteBefore(before: StoredTime, table: keyof TraceDatabase, count: number): Promise<number> {
    const [name, column] = NAMES[table];
    const { numAffectedRows = 0n } = await this.dialect.deleteBefore(name, column, before, count).execute(this.db);
    return Number(numAffectedRows);
  }

  private async insertExecutions(
    trx: TraceDb,
    rows: readonly ExecutionRow[],
    end: TraceDialect['orKeep'],
  ): Promise<void> {
    if (rows.length === 0) return;
    const values = rows.map((row) => this.executionValues(row));
    await trx.insertInto('jobExecutionLog').values(values).modifyEnd(end).execute();
  }

  private async insertStatuses(trx: TraceDb, rows: readonly StatusRow[]): Promise<void> {
    if (rows.length === 0) return;
    const values = rows.map((row) => this.statusValues(row));
    await trx.insertInto('jobStatusTraceLog').values(values).modifyEnd(this.dialect.orKeep).execute();
  }

  private executionValues(row: ExecutionRow): ExecutionTable {
    const { dialect } = this;
    const { table: _, ...columns } = row;
    const { isSuccess, startTime, completeTime } = columns;
    return {
      ...columns,
      isSuccess: dialect.flag(isSuccess),
      startTime: dialect.time(startTime),
      completeTime: completeTime === null ? null : dialect.time(completeTime),
    };
  }

  private statusValues(row: StatusRow): StatusTable {
    const { table: _, ...columns } = row;
    return {
      ...columns,
      // ElasticJob takes it from the TASK_STAGING row of the same task, where it is empty for every job outside its
      // Cloud.
      originalTaskId: '',
      source: 'LITE_EXECUTOR',
      executionType: 'READY',
      creationTime: this.dialect.time(columns.creationTime),
    };
  }
}
