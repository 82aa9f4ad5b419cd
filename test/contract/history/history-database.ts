import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { SqlHistoryOptions } from '../../../libs/elastic-job/src/tracing/sql/index.js';

/** A real database that the history's contract is held against. */
export interface HistoryDatabase {
  /** A client of its own, as another process has one. The database closes what is left open. */
  connect(): Kysely<unknown>;
  /** Options that every history of it is made with. */
  readonly options?: SqlHistoryOptions;
  /** Ends every client. */
  close(): Promise<void>;
}

/** ElasticJob's own statements, by its release. @see ElasticJob, `META-INF/sql/*.properties` */
export type JavaTables = Readonly<Record<'3.0.4' | '3.0.5', readonly string[]>>;

const TABLES = ['JOB_EXECUTION_LOG', 'JOB_STATUS_TRACE_LOG'];
const OWN_TABLES = ['elastic_job_migration', 'elastic_job_migration_lock'];

/** Leaves nothing of an earlier test. */
export async function dropTables(db: Kysely<unknown>): Promise<void> {
  for (const table of [...TABLES, ...OWN_TABLES]) await run(db, `DROP TABLE IF EXISTS ${table}`);
}

/** Runs a statement as it stands. */
export async function run<Row = Record<string, unknown>>(db: Kysely<unknown>, text: string): Promise<Row[]> {
  const statement: RawBuilder<Row> = sql.raw(text);
  return (await statement.execute(db)).rows;
}

/** Rows as any client sees them, under the columns' names in lower case. */
export async function rowsOf(db: Kysely<unknown>, table: string, order: string): Promise<Record<string, unknown>[]> {
  const rows = await run(db, `SELECT * FROM ${table} ORDER BY ${order}`);
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name.toLowerCase(), value])));
}
