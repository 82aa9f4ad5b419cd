import { sql } from 'kysely';
import type { OwnDatabase } from './own-row.js';
import type { TableIndex, TraceDialect } from './trace-dialect.js';
import type { TraceDb } from './trace-row.js';

/** A table of our own beside ElasticJob's two, which tell no fire time, origin, outcome, attempt or event. */
interface OwnTable {
  readonly columns: string;
  /** By name. All rows of a table have a time, by which retention deletes them. */
  readonly indexes: Readonly<Record<string, TableIndex>>;
}

/** A query for failed runs writes the condition out, since such an index is used for no parameter. */
const FAILED = `outcome = 'failed'`;

/**
 * All instants are milliseconds since the epoch, so no driver's time zone matters. The texts of a run's error stay in
 * the row of `JOB_EXECUTION_LOG` that has its id.
 */
const TABLES = {
  ELASTIC_JOB_RUN: {
    columns:
      'id VARCHAR(40) NOT NULL, job_name VARCHAR(100) NOT NULL, sharding_item INT NOT NULL, fire_time BIGINT NULL, ' +
      'origin VARCHAR(120) NOT NULL, source VARCHAR(20) NOT NULL, outcome VARCHAR(12) NULL, cause VARCHAR(40) NULL, ' +
      'run VARCHAR(40) NULL, token VARCHAR(40) NULL, epoch BIGINT NULL, instance VARCHAR(150) NOT NULL, ' +
      'version VARCHAR(64) NULL, task_id VARCHAR(255) NOT NULL, launch INT NULL, begun_at BIGINT NOT NULL, ' +
      'started_at BIGINT NULL, settled_at BIGINT NULL, lateness_ms BIGINT NULL, attempts INT NOT NULL',
    indexes: {
      ELASTIC_JOB_RUN_TIME: { on: 'begun_at' },
      ELASTIC_JOB_RUN_JOB_TIME: { on: 'job_name, begun_at' },
      ELASTIC_JOB_RUN_ITEM_TIME: { on: 'job_name, sharding_item, begun_at' },
      ELASTIC_JOB_RUN_TARGET: { on: 'job_name, fire_time, sharding_item' },
      ELASTIC_JOB_RUN_FAILED_TIME: { on: 'outcome, begun_at', only: FAILED },
      ELASTIC_JOB_RUN_FAILED_JOB_TIME: { on: 'job_name, outcome, begun_at', only: FAILED },
    },
  },
  ELASTIC_JOB_ATTEMPT: {
    columns:
      'id VARCHAR(60) NOT NULL, run_id VARCHAR(40) NOT NULL, job_name VARCHAR(100) NOT NULL, ' +
      'sharding_item INT NOT NULL, attempt INT NOT NULL, started_at BIGINT NOT NULL, ended_at BIGINT NULL, ' +
      'error VARCHAR(4000) NULL',
    indexes: {
      ELASTIC_JOB_ATTEMPT_RUN: { on: 'run_id, attempt' },
      ELASTIC_JOB_ATTEMPT_TIME: { on: 'started_at' },
    },
  },
  ELASTIC_JOB_EVENT: {
    columns:
      'id VARCHAR(40) NOT NULL, job_name VARCHAR(100) NULL, kind VARCHAR(40) NOT NULL, told_at BIGINT NOT NULL, ' +
      'items VARCHAR(4000) NULL, fire_time BIGINT NULL, since_at BIGINT NULL, instance VARCHAR(150) NULL, ' +
      'detail VARCHAR(8000) NOT NULL',
    indexes: {
      ELASTIC_JOB_EVENT_TIME: { on: 'told_at' },
      ELASTIC_JOB_EVENT_JOB_TIME: { on: 'job_name, told_at' },
      ELASTIC_JOB_EVENT_KIND_TIME: { on: 'kind, told_at' },
      ELASTIC_JOB_EVENT_JOB_KIND_TIME: { on: 'job_name, kind, told_at' },
    },
  },
  ELASTIC_JOB_STAT: {
    columns:
      'id VARCHAR(40) NOT NULL, job_name VARCHAR(100) NOT NULL, writer VARCHAR(150) NOT NULL, ' +
      'since_at BIGINT NOT NULL, succeeded INT NOT NULL, failed INT NOT NULL, aborted INT NOT NULL, ' +
      'retried INT NOT NULL, failed_over INT NOT NULL, missed INT NOT NULL, duration_ms BIGINT NOT NULL, ' +
      'longest_ms BIGINT NOT NULL, latest_ms BIGINT NOT NULL, durations VARCHAR(4000) NOT NULL, ' +
      'latenesses VARCHAR(4000) NOT NULL',
    indexes: {
      ELASTIC_JOB_STAT_TIME: { on: 'since_at' },
      ELASTIC_JOB_STAT_JOB_TIME: { on: 'job_name, since_at' },
    },
  },
} as const satisfies Readonly<Record<string, OwnTable>>;

export const OWN_TABLES = [
  'elasticJobRun',
  'elasticJobAttempt',
  'elasticJobEvent',
  'elasticJobStat',
] as const satisfies readonly (keyof OwnDatabase)[];

export function isOwn(table: string): boolean {
  return OWN_TABLES.some((own) => own === table);
}

/**
 * Creates the tables that are missing, each with its indexes. Several instances may do so at once. It is recorded
 * nowhere but in the database's catalogue: a migrator refuses a record that it does not know, so an instance of a
 * release before, which has one migration, could not start any more.
 * @throws the database's error, if a table is still missing
 */
export async function createOwnTables(db: TraceDb, dialect: TraceDialect): Promise<void> {
  const isMissing = async (name: string) => (await dialect.columns(name).execute(db)).rows.length === 0;
  for (const [name, { columns, indexes }] of Object.entries<OwnTable>(TABLES)) {
    if (!(await isMissing(name))) continue;
    try {
      const statements = dialect.createTable(name, columns, indexes);
      await db.transaction().execute(async (trx) => {
        for (const statement of statements) await sql.raw(statement).execute(trx);
      });
    } catch (error) {
      // PostgreSQL refuses the later one of two instances. A refused connection of libsql must not read.
      if (dialect.mayStick || (await isMissing(name))) throw error;
    }
  }
}
