/** Differences of the tables between the dialects. */
interface TableParts {
  /** Columns before ElasticJob's. */
  readonly before: string;
  readonly flag: string;
}

const PLAIN: TableParts = { before: '', flag: 'INT' };
const POSTGRES: TableParts = { before: '', flag: 'BOOLEAN' };
const MYSQL: TableParts = { before: 'auto_id INT NOT NULL AUTO_INCREMENT, ', flag: 'INT' };

/** Writer of a status row; ElasticJob up to 3.0.4 requires it, and the console of MySQL reads it. */
export const SOURCE_COLUMN = `source VARCHAR(50) NULL DEFAULT 'LITE_EXECUTOR'`;

/** @see ElasticJob, `META-INF/sql/*.properties`: names, order and types of the columns */
const executionColumns = ({ before, flag }: TableParts): string =>
  `${before}id VARCHAR(40) NOT NULL, job_name VARCHAR(100) NOT NULL, task_id VARCHAR(255) NOT NULL, ` +
  'hostname VARCHAR(255) NOT NULL, ip VARCHAR(50) NOT NULL, sharding_item INT NOT NULL, ' +
  `execution_source VARCHAR(20) NOT NULL, failure_cause VARCHAR(4000) NULL, is_success ${flag} NOT NULL, ` +
  'start_time TIMESTAMP NULL, complete_time TIMESTAMP NULL';

const statusColumns = ({ before }: TableParts): string =>
  `${before}id VARCHAR(40) NOT NULL, job_name VARCHAR(100) NOT NULL, original_task_id VARCHAR(255) NOT NULL, ` +
  `task_id VARCHAR(255) NOT NULL, slave_id VARCHAR(50) NOT NULL, ${SOURCE_COLUMN}, ` +
  'execution_type VARCHAR(20) NOT NULL, sharding_item VARCHAR(100) NOT NULL, state VARCHAR(20) NOT NULL, ' +
  'message VARCHAR(4000) NULL, creation_time TIMESTAMP NULL';

/** The statements that create one of the tables, with its indexes. */
export interface TableStatements {
  readonly execution: readonly string[];
  readonly status: readonly string[];
}

// ElasticJob has only the index TASK_ID_STATE_INDEX. The others serve reading by time, and retention.
const separateIndexes = (parts: TableParts): TableStatements => ({
  execution: [
    `CREATE TABLE IF NOT EXISTS JOB_EXECUTION_LOG (${executionColumns(parts)}, PRIMARY KEY (id))`,
    'CREATE INDEX IF NOT EXISTS EXECUTION_TIME_INDEX ON JOB_EXECUTION_LOG (start_time)',
    'CREATE INDEX IF NOT EXISTS EXECUTION_JOB_TIME_INDEX ON JOB_EXECUTION_LOG (job_name, start_time)',
  ],
  status: [
    `CREATE TABLE IF NOT EXISTS JOB_STATUS_TRACE_LOG (${statusColumns(parts)}, PRIMARY KEY (id))`,
    'CREATE INDEX IF NOT EXISTS TASK_ID_STATE_INDEX ON JOB_STATUS_TRACE_LOG (task_id, state)',
    'CREATE INDEX IF NOT EXISTS STATUS_TIME_INDEX ON JOB_STATUS_TRACE_LOG (creation_time)',
  ],
});

export const SQLITE_TABLES: TableStatements = separateIndexes(PLAIN);

export const POSTGRES_TABLES: TableStatements = separateIndexes(POSTGRES);

/** The database may have a character set that lacks letters of jobs and errors. */
const MYSQL_END = 'ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4';

export const MYSQL_TABLES: TableStatements = {
  execution: [
    `CREATE TABLE IF NOT EXISTS JOB_EXECUTION_LOG (${executionColumns(MYSQL)}, PRIMARY KEY (auto_id), ` +
      'UNIQUE KEY id (id), KEY EXECUTION_TIME_INDEX (start_time), ' +
      `KEY EXECUTION_JOB_TIME_INDEX (job_name, start_time)) ${MYSQL_END}`,
  ],
  status: [
    `CREATE TABLE IF NOT EXISTS JOB_STATUS_TRACE_LOG (${statusColumns(MYSQL)}, PRIMARY KEY (auto_id), ` +
      `KEY TASK_ID_STATE_INDEX (task_id(128), state), KEY STATUS_TIME_INDEX (creation_time)) ${MYSQL_END}`,
  ],
};
