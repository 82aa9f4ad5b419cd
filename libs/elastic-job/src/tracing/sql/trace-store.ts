import { sql } from 'kysely';
import { type Clock, Deadline } from '../../clock/index.js';
import { nameStuck } from '../../domain/index.js';
import { HistoryTimeoutError } from './history.errors.js';
import { createOwnTables, isOwn, OWN_TABLES } from './own-tables.js';
import { codesOf } from './row-delivery.js';
import type { RowInsert, Widths } from './row-insert.js';
import { JAVA_TABLES, NAMES, rowInserts, type RowInserts } from './trace-columns.js';
import type { TraceDialect } from './trace-dialect.js';
import { migrateTraces } from './trace-migrations.js';
import type { StoredTime, TraceDatabase, TraceDb, TraceRow } from './trace-row.js';

/** The tables in one database. Rejects with the driver's error; has no retries, and no time limits (`within`). */
export class TraceStore {
  private readonly db: TraceDb;
  private readonly inserts: RowInserts;
  private isMigrated = false;
  private refusal: unknown;
  private widths: Readonly<Record<'execution' | 'status', Widths>> | undefined;

  constructor(
    private readonly plain: TraceDb,
    readonly dialect: TraceDialect,
  ) {
    this.db = plain.withPlugin(dialect.names);
    this.inserts = rowInserts(dialect);
  }

  /** The error by which the database has refused to create our own tables; ElasticJob's two are there then. */
  get ownTablesRefusal(): unknown {
    return this.refusal;
  }

  /** Migrates the tables, once. Lacking the right to create our own is no error. */
  async open(): Promise<void> {
    if (this.isMigrated) return;
    await this.connection();
    await this.assertWritable();
    await migrateTraces(this.plain, this.dialect);
    await createOwnTables(this.plain, this.dialect).catch((error: unknown) => {
      if (!isRefusal(error)) throw error;
      this.refusal = error;
    });
    this.isMigrated = true;
  }

  /** The rows whose tables there are. */
  writable(rows: readonly TraceRow[]): readonly TraceRow[] {
    return this.refusal === undefined ? rows : rows.filter(({ table }) => table === 'execution' || table === 'status');
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
    const { execution, status } = await this.columnWidths();
    const byTable = groupedByTable(this.writable(rows));
    const { inserts } = this;
    let failure: unknown;
    const insert = async (trx: TraceDb): Promise<void> => {
      await insertAll(trx, inserts.execution, byTable.execution, execution);
      await insertAll(trx, inserts.status, byTable.status, status);
      await insertAll(trx, inserts.run, byTable.run);
      await insertAll(trx, inserts.attempt, byTable.attempt);
      await insertAll(trx, inserts.event, byTable.event);
      await insertAll(trx, inserts.stat, byTable.stat);
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
      execution: await widthsOf('jobExecutionLog'),
      status: await widthsOf('jobStatusTraceLog'),
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

  /** The tables that there are, once the store is open. */
  get tables(): readonly (keyof TraceDatabase)[] {
    return this.refusal === undefined ? [...JAVA_TABLES, ...OWN_TABLES] : JAVA_TABLES;
  }

  /** An instant as the table has it. @param ms milliseconds since the epoch */
  timeIn(table: keyof TraceDatabase, ms: number): StoredTime {
    return isOwn(table) ? ms : this.dialect.time(ms);
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

/** A refusal of a statement, as by a lack of rights, and no state that passes. @see PostgreSQL, "Error Codes" */
function isRefusal(error: unknown): boolean {
  const { code, sqlState = code } = codesOf(error);
  return /^(?:42|0A)[\dA-Z]{3}$/.test(String(sqlState));
}

type RowsByTable = { [Table in TraceRow['table']]: Extract<TraceRow, { table: Table }>[] };

function groupedByTable(rows: readonly TraceRow[]): Readonly<RowsByTable> {
  const groups: RowsByTable = { execution: [], status: [], run: [], attempt: [], event: [], stat: [] };
  for (const row of rows) {
    const group: TraceRow[] = groups[row.table];
    group.push(row);
  }
  return groups;
}

/** Our own tables are as wide as their rows' texts. */
const UNLIMITED: Widths = new Map();

async function insertAll<Row>(db: TraceDb, insert: RowInsert<Row>, rows: readonly Row[], widths = UNLIMITED) {
  if (rows.length > 0) await insert.run(db, rows, widths);
}
