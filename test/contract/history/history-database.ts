import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { SqlHistoryOptions } from '../../../libs/elastic-job/src/tracing/sql/index.js';

/** A real database against which the history's contract is tested. */
export interface HistoryDatabase {
  /** Opens one more client, as another process would. The database closes clients that are left open. */
  connect(): Kysely<unknown>;
  /** Options for every history of this database. */
  readonly options?: SqlHistoryOptions;
  /** Ends every client. */
  close(): Promise<void>;
}

/** ElasticJob's own statements, by its release. @see ElasticJob, `META-INF/sql/*.properties` */
export type JavaTables = Readonly<Record<'3.0.4' | '3.0.5', readonly string[]>>;

const TABLES = ['JOB_EXECUTION_LOG', 'JOB_STATUS_TRACE_LOG'];
const OWN_TABLES = ['elastic_job_migration', 'elastic_job_migration_lock'];

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

/** Rows as any client sees them, with column names in lower case. */
export async function rowsOf(db: Kysely<unknown>, table: string, order: string): Promise<Record<string, unknown>[]> {
  const rows = await run(db, `SELECT * FROM ${table} ORDER BY ${order}`);
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name.toLowerCase(), value])));
}
