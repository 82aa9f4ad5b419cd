import { type Kysely, type RawBuilder, sql, SqliteAdapter } from 'kysely';
import { SystemClock } from '../../../libs/elastic-job/src/clock/index.js';
import type { SqlHistoryOptions } from '../../../libs/elastic-job/src/tracing/sql/index.js';
import { SUM_PAUSE_MS } from '../../../libs/elastic-job/src/tracing/sql/stat-recorder.js';

/** A real database against which the history's contract is tested. */
export interface HistoryDatabase {
  /** Opens one more client, as another process would. The database closes clients that are left open. */
  connect(): Kysely<unknown>;
  /** Options for every history of this database. */
  readonly options?: SqlHistoryOptions;
  /** Ends every client. */
  close(): Promise<void>;
}

/**
 * Statements by which others create the tables: those of ElasticJob's releases, and those of its console, whose texts
 * have 255 characters.
 * @see ElasticJob, `META-INF/sql/*.properties`
 * @see ElasticJob-UI, `JobExecutionLog` and `JobStatusTraceLog`, which OpenJPA maps by `buildSchema`
 */
export type JavaTables = Readonly<Record<'Java 3.0.4' | 'Java 3.0.5' | "ElasticJob's console", readonly string[]>>;

/** Real time, but pauses after a failure are short, and counted; those before sums are short. */
export class HastyClock extends SystemClock {
  pauses = 0;

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms > 100 && ms !== SUM_PAUSE_MS) this.pauses += 1;
    return super.sleep(Math.min(ms, 1), signal);
  }
}

const TABLES = ['JOB_EXECUTION_LOG', 'JOB_STATUS_TRACE_LOG'];
const OWN_TABLES = [
  'ELASTIC_JOB_RUN',
  'ELASTIC_JOB_ATTEMPT',
  'ELASTIC_JOB_EVENT',
  'ELASTIC_JOB_STAT',
  'elastic_job_migration',
  'elastic_job_migration_lock',
];

/**
 * Never aborts, so that a history which is stopped writes all of its rows, on a slow machine too. The limit of the test
 * ends one that hangs.
 */
export const never = (): AbortSignal => new AbortController().signal;

/** Removes everything that an earlier test has left. */
export async function dropTables(db: Kysely<unknown>): Promise<void> {
  for (const table of [...TABLES, ...OWN_TABLES]) await run(db, `DROP TABLE IF EXISTS ${table}`);
}

/** Runs a statement unchanged. */
export async function run<Row = Record<string, unknown>>(db: Kysely<unknown>, text: string): Promise<Row[]> {
  const statement: RawBuilder<Row> = sql.raw(text);
  return (await statement.execute(db)).rows;
}

/** Makes the database refuse rows of `JOB_EXECUTION_LOG` for which a condition on `column` does not hold. */
export async function allowOnly(db: Kysely<unknown>, column: string, condition: string): Promise<void> {
  const table = 'JOB_EXECUTION_LOG';
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  const trigger =
    `CREATE TRIGGER refuse BEFORE INSERT ON ${table} WHEN NOT (NEW.${column} ${condition}) ` +
    `BEGIN SELECT RAISE(ABORT, 'refused'); END`;
  const check = `ALTER TABLE ${table} ADD CONSTRAINT refused CHECK (${column} ${condition})`;
  await run(db, isSqlite ? trigger : check);
}

/** Rows as any client sees them, with column names in lower case. */
export async function rowsOf(db: Kysely<unknown>, table: string, order: string): Promise<Record<string, unknown>[]> {
  const rows = await run(db, `SELECT * FROM ${table} ORDER BY ${order}`);
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name.toLowerCase(), value])));
}
