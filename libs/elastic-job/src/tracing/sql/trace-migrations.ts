import * as kysely from 'kysely';
import { type Kysely, type Migration, sql } from 'kysely';
import type { TraceDb } from './trace-row.js';
import { type CatalogueColumn, SOURCE_COLUMN, type TraceDialect } from './trace-dialect.js';

const EXECUTIONS = 'JOB_EXECUTION_LOG';
const STATUSES = 'JOB_STATUS_TRACE_LOG';

/**
 * Brings ElasticJob's tables into the form that this version writes. Several instances may do so at once; the later
 * ones find it done. An older version's migrator refuses a migration that it does not know: add none.
 * @see createOwnTables
 * @throws the database's error
 */
export async function migrateTraces(db: TraceDb, dialect: TraceDialect): Promise<void> {
  const Migrator = await importMigrator();
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => ({ '001-elasticjob': elasticJobTables(dialect) }) },
    migrationTableName: 'elastic_job_migration',
    migrationLockTableName: 'elastic_job_migration_lock',
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

/** kysely 0.29 has it in a separate entry. Its name must be hidden from bundlers, which would miss it in 0.28. */
async function importMigrator(): Promise<typeof kysely.Migrator> {
  const entry: string = 'kysely/migration';
  const isInFrontEntry = 'Migrator' in kysely;
  const { Migrator }: Pick<typeof kysely, 'Migrator'> = isInFrontEntry
    ? kysely
    : await import(/* @vite-ignore */ /* webpackIgnore: true */ entry);
  return Migrator;
}

/** Creates ElasticJob's tables, unless Java has: then both kinds of writers must be able to write them. */
function elasticJobTables(dialect: TraceDialect): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      const columnsOf = async (table: string) => (await dialect.columns(table).execute(db)).rows;
      if ((await columnsOf(EXECUTIONS)).length === 0) await run(db, dialect.tables.execution);
      const statuses = await columnsOf(STATUSES);
      await run(db, statuses.length === 0 ? dialect.tables.status : sourceOf(statuses, dialect));
    },
  };
}

/** ElasticJob up to 3.0.4 requires a source, later versions do not write one, and the console of MySQL reads it. */
function sourceOf(columns: readonly CatalogueColumn[], { setsDefaults }: TraceDialect): string[] {
  const source = columns.find(({ name }) => name.toLowerCase() === 'source');
  if (source === undefined) return [`ALTER TABLE ${STATUSES} ADD COLUMN ${SOURCE_COLUMN}`];
  // MariaDB writes NULL for a column that may be null and has no default.
  const hasDefault = source.standard !== null && source.standard !== 'NULL';
  if (hasDefault || !setsDefaults) return [];
  return [`ALTER TABLE ${STATUSES} ALTER COLUMN source SET DEFAULT 'LITE_EXECUTOR'`];
}

async function run(db: Kysely<unknown>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
