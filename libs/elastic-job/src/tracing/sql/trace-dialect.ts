import {
  CamelCasePlugin,
  type Kysely,
  MysqlAdapter,
  PostgresAdapter,
  type RawBuilder,
  sql,
  SqliteAdapter,
} from 'kysely';
import type { StoredTime } from './trace-row.js';

/** Differences of the tables between the dialects. */
interface TableParts {
  /** Columns before ElasticJob's. */
  readonly before: string;
  readonly flag: string;
}

const MYSQL_PARTS: TableParts = { before: 'auto_id INT NOT NULL AUTO_INCREMENT, ', flag: 'INT' };

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
interface TableStatements {
  readonly execution: readonly string[];
  readonly status: readonly string[];
}

// ElasticJob has only the index TASK_ID_STATE_INDEX. The others serve reading by time, job and item, and retention.
const separateIndexes = (parts: TableParts): TableStatements => ({
  execution: [
    `CREATE TABLE IF NOT EXISTS JOB_EXECUTION_LOG (${executionColumns(parts)}, PRIMARY KEY (id))`,
    'CREATE INDEX IF NOT EXISTS EXECUTION_TIME_INDEX ON JOB_EXECUTION_LOG (start_time)',
    'CREATE INDEX IF NOT EXISTS EXECUTION_JOB_TIME_INDEX ON JOB_EXECUTION_LOG (job_name, start_time)',
    'CREATE INDEX IF NOT EXISTS EXECUTION_ITEM_TIME_INDEX ON JOB_EXECUTION_LOG (job_name, sharding_item, start_time)',
  ],
  status: [
    `CREATE TABLE IF NOT EXISTS JOB_STATUS_TRACE_LOG (${statusColumns(parts)}, PRIMARY KEY (id))`,
    'CREATE INDEX IF NOT EXISTS TASK_ID_STATE_INDEX ON JOB_STATUS_TRACE_LOG (task_id, state)',
    'CREATE INDEX IF NOT EXISTS STATUS_TIME_INDEX ON JOB_STATUS_TRACE_LOG (creation_time)',
  ],
});

const SQLITE_TABLES: TableStatements = separateIndexes({ before: '', flag: 'INT' });

const POSTGRES_TABLES: TableStatements = separateIndexes({ before: '', flag: 'BOOLEAN' });

/** The database may have a character set that lacks letters of jobs and errors. */
const MYSQL_END = 'ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4';

/** The ids complete the order of pages. The others sort rows of one instant alone, and MySQL whatever it has found. */
const MYSQL_TABLES: TableStatements = {
  execution: [
    `CREATE TABLE IF NOT EXISTS JOB_EXECUTION_LOG (${executionColumns(MYSQL_PARTS)}, PRIMARY KEY (auto_id), ` +
      'UNIQUE KEY id (id), KEY EXECUTION_TIME_INDEX (start_time, id), ' +
      'KEY EXECUTION_JOB_TIME_INDEX (job_name, start_time, id), ' +
      `KEY EXECUTION_ITEM_TIME_INDEX (job_name, sharding_item, start_time, id)) ${MYSQL_END}`,
  ],
  status: [
    `CREATE TABLE IF NOT EXISTS JOB_STATUS_TRACE_LOG (${statusColumns(MYSQL_PARTS)}, PRIMARY KEY (auto_id), ` +
      `KEY TASK_ID_STATE_INDEX (task_id(128), state), KEY STATUS_TIME_INDEX (creation_time, id)) ${MYSQL_END}`,
  ],
};

/** Databases for a history. MariaDB is `mysql`. */
export type TraceDialectName = 'sqlite' | 'postgres' | 'mysql';

/** An index of a table of our own. */
export interface TableIndex {
  /** Its columns. */
  readonly on: string;
  /** The rows that it has, where the database has such indexes: it costs nothing to write all others. @default all */
  readonly only?: string;
}

/** A column as the database's catalogue shows it. */
export interface CatalogueColumn {
  readonly name: string;
  readonly standard: string | null;
  /** Most characters of a text; null for other columns, and where the database does not limit them. */
  readonly width: number | string | null;
}

/** A condition. @param given the name of a column of the new row @param kept of the row that is there */
type IsLater = (given: (column: string) => string, kept: (column: string) => string) => string;

/**
 * All differences between the databases. Written-out statements name tables and columns without quotes, as Java's do,
 * so that each database finds them in the case in which it keeps them.
 */
export interface TraceDialect {
  /** Gives the query builder's names the same case: PostgreSQL keeps lower case, MySQL the case as written. */
  readonly names: CamelCasePlugin;
  readonly tables: TableStatements;
  /** The statements that create a table of our own. @param indexes by name */
  createTable(name: string, columns: string, indexes: Readonly<Record<string, TableIndex>>): readonly string[];
  /** Columns of a table of the current schema; none if there is no such table. @param table in upper case */
  columns(table: string): RawBuilder<CatalogueColumn>;
  /** True if a connection that was refused a lock may commit nothing more, as one of libsql does. */
  readonly mayStick: boolean;
  /** True if a column can get a default later on. */
  readonly setsDefaults: boolean;
  flag(value: boolean): boolean | number;
  time(ms: number): StoredTime;
  /** End of an insert that changes nothing in rows with existing ids. */
  readonly orKeep: RawBuilder<unknown>;
  /**
   * End of an insert that changes columns of rows with existing ids, where a condition of the given and the kept values
   * holds. MySQL changes one column after the other, and compares with what it has changed: list last those that the
   * condition compares.
   */
  orReplace(table: string, columns: readonly string[], isLater: IsLater): RawBuilder<unknown>;
  /** Deletes the oldest rows, up to this number. */
  deleteBefore(table: string, timeColumn: string, before: StoredTime, count: number): RawBuilder<unknown>;
}

const ON_CONFLICT: Pick<TraceDialect, 'createTable' | 'orKeep' | 'orReplace' | 'deleteBefore'> = {
  createTable: (name, columns, indexes) => [
    `CREATE TABLE IF NOT EXISTS ${name} (${columns}, PRIMARY KEY (id))`,
    ...Object.entries(indexes).map(
      ([index, { on, only }]) =>
        `CREATE INDEX IF NOT EXISTS ${index} ON ${name} (${on})${only === undefined ? '' : ` WHERE ${only}`}`,
    ),
  ],
  orKeep: sql`on conflict (id) do nothing`,
  orReplace: (table, columns, isLater) => {
    const given = (column: string): string => `excluded.${column}`;
    const changes = columns.map((column) => `${column} = ${given(column)}`).join(', ');
    const condition = isLater(given, (column) => `${table}.${column}`);
    return sql.raw(`on conflict (id) do update set ${changes} where ${condition}`);
  },
  deleteBefore: (table, timeColumn, before, count) => {
    const [name, column] = [sql.raw(table), sql.raw(timeColumn)];
    return sql`delete from ${name} where id in
      (select id from ${name} where ${column} < ${before} order by ${column} limit ${sql.lit(count)})`;
  },
};

const SQLITE: TraceDialect = {
  ...ON_CONFLICT,
  names: new CamelCasePlugin({ upperCase: true }),
  tables: SQLITE_TABLES,
  columns: (table) => sql`select name, dflt_value as standard, null as width
    from pragma_table_info(${sql.lit(table)})`,
  mayStick: true,
  setsDefaults: false,
  flag: Number,
  time: (ms) => ms,
};

const POSTGRES: TraceDialect = {
  ...ON_CONFLICT,
  names: new CamelCasePlugin(),
  tables: POSTGRES_TABLES,
  columns: (table) => sql`select column_name as name, column_default as standard,
    character_maximum_length as width from information_schema.columns
    where table_schema = current_schema() and table_name = ${sql.lit(table.toLowerCase())}`,
  mayStick: false,
  setsDefaults: true,
  flag: (value) => value,
  time: (ms) => new Date(ms),
};

const MYSQL: TraceDialect = {
  names: new CamelCasePlugin({ upperCase: true }),
  tables: MYSQL_TABLES,
  // InnoDB ends each index with the primary key.
  createTable: (name, columns, indexes) => [
    `CREATE TABLE IF NOT EXISTS ${name} (${columns}, PRIMARY KEY (id), ` +
      `${Object.entries(indexes)
        .map(([index, { on }]) => `KEY ${index} (${on})`)
        .join(', ')}) ${MYSQL_END}`,
  ],
  columns: (table) => sql`select column_name as name, column_default as standard,
    character_maximum_length as width from information_schema.columns
    where table_schema = database() and table_name = ${sql.lit(table)}`,
  mayStick: false,
  setsDefaults: true,
  flag: Number,
  time: (ms) => new Date(ms),
  orKeep: sql`on duplicate key update id = values(id)`,
  orReplace: (_table, columns, isLater) => {
    const given = (column: string): string => `values(${column})`;
    const condition = isLater(given, (column) => column);
    const changes = columns.map((column) => `${column} = if(${condition}, ${given(column)}, ${column})`);
    return sql.raw(`on duplicate key update ${changes.join(', ')}`);
  },
  deleteBefore: (table, timeColumn, before, count) => {
    const column = sql.raw(timeColumn);
    return sql`delete from ${sql.raw(table)} where ${column} < ${before} order by ${column} limit ${sql.lit(count)}`;
  },
};

const DIALECTS: Readonly<Record<TraceDialectName, TraceDialect>> = { sqlite: SQLITE, postgres: POSTGRES, mysql: MYSQL };

export const TRACE_DIALECTS: readonly string[] = Object.keys(DIALECTS);

export function traceDialect(name: TraceDialectName): TraceDialect {
  return DIALECTS[name];
}

/** Each dialect's adapter, and its name in the other copies of Kysely that a process may have. */
const ADAPTERS = [
  ['sqlite', SqliteAdapter, 'SqliteAdapter'],
  ['postgres', PostgresAdapter, 'PostgresAdapter'],
  ['mysql', MysqlAdapter, 'MysqlAdapter'],
] as const;

/**
 * The dialect of the user's Kysely; undefined if it is unknown here. Kysely has a copy for `import` and another one for
 * `require`, and this package may have got the copy that the application has not, so the name of the class counts. The
 * class itself counts too, since a bundler that makes an application small shortens the names of its classes.
 */
export function dialectOf<Database>(db: Kysely<Database>): TraceDialectName | undefined {
  const { adapter } = db.getExecutor();
  const names = classNamesOf(adapter);
  return ADAPTERS.find(([, type, name]) => adapter instanceof type || names.includes(name))?.[0];
}

/** Names of an object's class and those above it, without the numbers by which bundlers tell equal names apart. */
function classNamesOf(object: object): readonly string[] {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (typeof prototype !== 'object' || prototype === null) return [];
  return [prototype.constructor.name.replace(/\$?\d+$/, ''), ...classNamesOf(prototype)];
}
