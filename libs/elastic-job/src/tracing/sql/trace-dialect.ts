import {
  CamelCasePlugin,
  type Kysely,
  MysqlAdapter,
  PostgresAdapter,
  type RawBuilder,
  sql,
  SqliteAdapter,
} from 'kysely';
import type { StoredTime } from './trace-database.js';
import { MYSQL_TABLES, POSTGRES_TABLES, SQLITE_TABLES, type TableStatements } from './trace-tables.js';

/** Databases for a history. MariaDB is `mysql`. */
export type TraceDialectName = 'sqlite' | 'postgres' | 'mysql';

/** A column as the database's catalogue shows it. */
export interface CatalogueColumn {
  readonly name: string;
  readonly standard: string | null;
  /** Most characters of a text; null for other columns, and where the database does not limit them. */
  readonly width: number | string | null;
}

/**
 * All differences between the databases. Written-out statements name tables and columns without quotes, as Java's do,
 * so that each database finds them in the case in which it keeps them.
 */
export interface TraceDialect {
  /** Gives the query builder's names the same case: PostgreSQL keeps lower case, MySQL the case as written. */
  readonly names: CamelCasePlugin;
  readonly tables: TableStatements;
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
  /** End of an insert that completes rows with existing ids, if the new row has an end. */
  readonly orComplete: RawBuilder<unknown>;
  /** Deletes the oldest rows, up to this number. */
  deleteBefore(table: string, timeColumn: string, before: StoredTime, count: number): RawBuilder<unknown>;
}

const ON_CONFLICT: Pick<TraceDialect, 'orKeep' | 'orComplete' | 'deleteBefore'> = {
  orKeep: sql`on conflict (id) do nothing`,
  orComplete: sql`on conflict (id) do update set is_success = excluded.is_success,
    failure_cause = excluded.failure_cause, complete_time = excluded.complete_time
    where excluded.complete_time is not null`,
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
  columns: (table) => sql`select column_name as name, column_default as standard,
    character_maximum_length as width from information_schema.columns
    where table_schema = database() and table_name = ${sql.lit(table)}`,
  mayStick: false,
  setsDefaults: true,
  flag: Number,
  time: (ms) => new Date(ms),
  orKeep: sql`on duplicate key update id = values(id)`,
  orComplete: sql`on duplicate key update
    is_success = if(values(complete_time) is null, is_success, values(is_success)),
    failure_cause = if(values(complete_time) is null, failure_cause, values(failure_cause)),
    complete_time = coalesce(values(complete_time), complete_time)`,
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
