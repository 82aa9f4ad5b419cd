import { CompiledQuery, type RawBuilder, sql } from 'kysely';
import { type Clock, Deadline } from '../../clock/index.js';
import { nameStuck } from '../../domain/index.js';
import { HistoryTimeoutError } from './history.errors.js';
import type { TraceDialect } from './trace-dialect.js';
import { migrateTraces } from './trace-migrations.js';
import {
  type ExecutionRow,
  fitting,
  type StatusRow,
  type StoredTime,
  type TraceDatabase,
  type TraceDb,
  type TraceRow,
} from './trace-row.js';

/**
 * Most rows of one write: at most 2,200 parameters and about 3 MB of texts, which every database accepts.
 * @see SQLite, "Limits": 32,766 parameters; PostgreSQL and MySQL: 65,535; MariaDB, `max_allowed_packet`: 16 MB
 */
export const MOST_ROWS = 200;

/** Each table, and the column of its time. */
const NAMES = {
  jobExecutionLog: ['JOB_EXECUTION_LOG', 'start_time'],
  jobStatusTraceLog: ['JOB_STATUS_TRACE_LOG', 'creation_time'],
  elasticJobRun: ['ELASTIC_JOB_RUN', 'begun_at'],
  elasticJobAttempt: ['ELASTIC_JOB_ATTEMPT', 'started_at'],
  elasticJobEvent: ['ELASTIC_JOB_EVENT', 'told_at'],
  elasticJobStat: ['ELASTIC_JOB_STAT', 'since_at'],
} as const satisfies Readonly<Record<keyof TraceDatabase, readonly [table: string, time: string]>>;

/** The two tables in one database. Rejects with the driver's error; has no retries, and no time limits (`within`). */
export class TraceStore {
  private readonly db: TraceDb;
  private readonly executions: RowInsert<ExecutionRow>;
  private readonly statuses: RowInsert<StatusRow>;
  private isMigrated = false;
  private widths: Readonly<Record<'jobExecutionLog' | 'jobStatusTraceLog', Widths>> | undefined;

  constructor(
    private readonly plain: TraceDb,
    readonly dialect: TraceDialect,
  ) {
    this.db = plain.withPlugin(dialect.names);
    this.executions = new RowInsert(NAMES.jobExecutionLog[0], executionColumns(dialect), dialect.orComplete, MOST_ROWS);
    this.statuses = new RowInsert(NAMES.jobStatusTraceLog[0], statusColumns(dialect), dialect.orKeep, MOST_ROWS);
  }

  /** True once the tables are known to exist. */
  get isOpen(): boolean {
    return this.isMigrated;
  }

  /** Migrates the tables, once. */
  async open(): Promise<void> {
    if (this.isMigrated) return;
    await this.connection();
    await this.assertWritable();
    await migrateTraces(this.plain, this.dialect);
    this.isMigrated = true;
  }

  /**
   * Writes all rows or none. May be repeated; versions of a row may come in any order. Always commits by itself: a
   * connection of libsql on which a statement was refused as locked takes single statements without committing them,
   * but refuses the commit of a transaction. Texts are cut to the columns' widths, which other writers may have chosen.
   * @param rows MOST_ROWS at most
   * @throws {StuckConnectionError} if the connection commits nothing
   */
  async write(rows: readonly TraceRow[]): Promise<void> {
    const db = await this.connection();
    const widths = await this.columnWidths();
    const executions = rows.filter((row) => row.table === 'execution');
    const statuses = rows.filter((row) => row.table === 'status');
    let failure: unknown;
    const insert = async (trx: TraceDb): Promise<void> => {
      if (executions.length > 0) await this.executions.run(trx, executions, widths.jobExecutionLog);
      if (statuses.length > 0) await this.statuses.run(trx, statuses, widths.jobStatusTraceLog);
    };
    await db
      .transaction()
      .execute((trx) =>
        insert(trx).catch((error: unknown) => {
          failure = error;
          throw error;
        }),
      )
      // SQLite ends the transaction of a full database by itself, so that the rollback has an error of its own.
      .catch((error: unknown) => {
        throw failure ?? error;
      });
  }

  /** Shows that new tables can be created. Kysely reads after a refusal, which locks a file that commits nothing. */
  private async assertWritable(): Promise<void> {
    if (!this.dialect.mayStick) return;
    const { rows } = await this.dialect.columns(NAMES.jobStatusTraceLog[0]).execute(this.plain);
    if (rows.length > 0) return;
    await sql`create table if not exists elastic_job_writable (id int)`.execute(this.plain);
    await sql`drop table if exists elastic_job_writable`.execute(this.plain);
  }

  private async columnWidths() {
    const widthsOf = async (table: keyof TraceDatabase): Promise<Widths> => {
      const { rows } = await this.dialect.columns(NAMES[table][0]).execute(this.plain);
      const limited = rows.filter(({ width }) => width !== null);
      return new Map(limited.map(({ name, width }) => [name.toLowerCase(), Number(width)]));
    };
    return (this.widths ??= {
      jobExecutionLog: await widthsOf('jobExecutionLog'),
      jobStatusTraceLog: await widthsOf('jobStatusTraceLog'),
    });
  }

  /** Resolves if the database answers at all. @throws {StuckConnectionError} if the connection commits nothing */
  async ping(): Promise<void> {
    await sql`select 1`.execute(await this.connection());
  }

  /**
   * The connection, typed with the dialect's names, once it has committed a transaction without a statement: on one
   * that commits nothing, a statement, also one that reads, would lock the file for as long as that lasts.
   * @throws {StuckConnectionError}
   */
  async connection(): Promise<TraceDb> {
    if (!this.dialect.mayStick) return this.db;
    const commit = this.db.transaction().execute(async () => {});
    await commit.catch((error: unknown) => {
      throw nameStuck(error);
    });
    return this.db;
  }

  /** Time of the oldest of the newest `count` rows of a table; undefined if there are fewer. */
  async timeOfRow(count: number, table: keyof TraceDatabase): Promise<StoredTime | undefined> {
    const [name, column] = NAMES[table];
    const [time, offset] = [sql.raw(column), sql.lit(count - 1)];
    const query = sql<{ time: StoredTime }>`select ${time} as time from ${sql.raw(name)}
      where ${time} is not null order by ${time} desc limit 1 offset ${offset}`;
    return (await query.execute(await this.connection())).rows[0]?.time;
  }

  /** Deletes the oldest rows. @returns the number of deleted rows, at most `count` */
  async deleteBefore(before: StoredTime, table: keyof TraceDatabase, count: number): Promise<number> {
    const [name, column] = NAMES[table];
    const query = this.dialect.deleteBefore(name, column, before, count);
    const { numAffectedRows = 0n } = await query.execute(await this.connection());
    return Number(numAffectedRows);
  }
}

/**
 * A time limit for what the store does, which cannot be cancelled. Writing and retention limit each step by it.
 * @throws {HistoryTimeoutError} after `timeoutMs` milliseconds; a later result is ignored
 */
export function within<T>(clock: Clock, timeoutMs: number, work: Promise<T>): Promise<T> {
  const late = (): never => {
    throw new HistoryTimeoutError(timeoutMs);
  };
  return Deadline.after(clock, timeoutMs).bounds(work, late);
}

type Value = StoredTime | boolean | null;

/** Most characters of the texts in a table's columns, by the columns' names in lower case. */
type Widths = ReadonlyMap<string, number>;

/** A column of an insert: either a constant in the statement's text, or a parameter of each row. */
type InsertColumn<Row> =
  { readonly name: string; readonly always: string } | { readonly name: string; readonly of: (row: Row) => Value };

/**
 * Inserts up to `mostRows` rows of a table by one statement. The text for the most rows is compiled once, and the text
 * for fewer rows is its beginning, because building a statement takes longer than sending it.
 */
class RowInsert<Row> {
  private readonly parameters: readonly Extract<InsertColumn<Row>, { readonly of: unknown }>[];
  private text: { readonly values: string; readonly ends: readonly number[]; readonly end: string } | undefined;

  /** @param end the end of the statement, which decides about existing ids */
  constructor(
    private readonly table: string,
    private readonly columns: readonly InsertColumn<Row>[],
    private readonly end: RawBuilder<unknown>,
    private readonly mostRows: number,
  ) {
    this.parameters = columns.filter((column) => 'of' in column);
  }

  /** @param rows at least one; texts are cut to the widths, counted in UTF-16 units, which are no fewer */
  async run(db: TraceDb, rows: readonly Row[], widths: Widths): Promise<void> {
    const values: Value[] = [];
    for (const row of rows) {
      for (const { name, of } of this.parameters) {
        const value = of(row);
        const width = widths.get(name) ?? Infinity;
        values.push(typeof value === 'string' && value.length > width ? fitting(value, width) : value);
      }
    }
    await db.executeQuery(CompiledQuery.raw(this.textOf(rows.length, db), values));
  }

  private textOf(rows: number, db: TraceDb): string {
    const { values, ends, end } = (this.text ??= this.compile(db));
    const names = this.columns.map(({ name }) => name).join(', ');
    return `insert into ${this.table} (${names}) values ${values.slice(0, ends[rows - 1])} ${end}`;
  }

  private compile(db: TraceDb) {
    const row = sql.join(this.columns.map((column) => ('of' in column ? sql`${null}` : sql.raw(column.always))));
    const values = sql.join(Array.from({ length: this.mostRows }, () => sql`(${row})`)).compile(db).sql;
    // A row has no other bracket.
    const ends = [...values.matchAll(/\)/g)].map(({ index }) => index + 1);
    return { values, ends, end: this.end.compile(db).sql };
  }
}

/** The written columns of `JOB_EXECUTION_LOG`. */
function executionColumns(dialect: TraceDialect): readonly InsertColumn<ExecutionRow>[] {
  return [
    { name: 'id', of: ({ id }) => id },
    { name: 'job_name', of: ({ jobName }) => jobName },
    { name: 'task_id', of: ({ taskId }) => taskId },
    { name: 'hostname', of: ({ hostname }) => hostname },
    { name: 'ip', of: ({ ip }) => ip },
    { name: 'sharding_item', of: ({ shardingItem }) => shardingItem },
    { name: 'execution_source', of: ({ executionSource }) => executionSource },
    { name: 'failure_cause', of: ({ failureCause }) => failureCause },
    { name: 'is_success', of: ({ isSuccess }) => dialect.flag(isSuccess) },
    { name: 'start_time', of: ({ startTime }) => dialect.time(startTime) },
    { name: 'complete_time', of: ({ completeTime }) => (completeTime === null ? null : dialect.time(completeTime)) },
  ];
}

/** The written columns of `JOB_STATUS_TRACE_LOG`. */
function statusColumns(dialect: TraceDialect): readonly InsertColumn<StatusRow>[] {
  return [
    { name: 'id', of: ({ id }) => id },
    { name: 'job_name', of: ({ jobName }) => jobName },
    // Empty for every job outside of ElasticJob's Cloud.
    { name: 'original_task_id', always: "''" },
    { name: 'task_id', of: ({ taskId }) => taskId },
    { name: 'slave_id', of: ({ slaveId }) => slaveId },
    { name: 'source', always: "'LITE_EXECUTOR'" },
    { name: 'execution_type', always: "'READY'" },
    { name: 'sharding_item', of: ({ shardingItem }) => shardingItem },
    { name: 'state', of: ({ state }) => state },
    { name: 'message', of: ({ message }) => message },
    { name: 'creation_time', of: ({ creationTime }) => dialect.time(creationTime) },
  ];
}
