import { type Expression, type ExpressionBuilder, type Kysely, sql, type SqlBool } from 'kysely';
import { type OptionRow, OptionTable } from '../../domain/index.js';
import { type AuditEnd, type AuditFilter, type AuditStore, isSwitch, targetKey, withEnd } from '../audit/index.js';
import type { AuditEntry, AuditTarget } from '../contract/index.js';
import { digestOf } from '../identity/index.js';
import {
  asciiOf,
  asConsoleDb,
  type ConsoleDialectName,
  consoleDialectOf,
  ConsoleTables,
  DIALECT_RULE,
} from './console-dialect.js';

/** Options of `SqlAuditStore`. */
export interface SqlAuditStoreOptions {
  /** Dialect of the database. @default the dialect of the Kysely instance */
  readonly dialect?: ConsoleDialectName;
}

const OPTIONS = {
  dialect: { rule: DIALECT_RULE },
} as const satisfies Readonly<Record<keyof SqlAuditStoreOptions, OptionRow>>;
const TABLE = new OptionTable(OPTIONS, 'the audit');

/** Width of the columns that are compared, in characters. */
const WIDTH = 1_000;
/** Most targets of a statement; SQLite takes 500 parts. */
const MOST_SWITCHES = 200;

/** A row of `elastic_job_audit`. What is compared has a column; `entry` and `ending` are JSON. */
interface AuditRow {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at_ms: number | bigint | string;
  readonly who: string | null;
  readonly job: string | null;
  readonly server: string | null;
  readonly action: string;
  readonly outcome: string;
  /** The target, in entries of `enable` and `disable`. */
  readonly switched: string | null;
  readonly entry: string;
  readonly ending: string | null;
}

type SwitchRow = Pick<AuditRow, 'entry' | 'ending'> & { readonly switched: string };

interface AuditTables {
  readonly elastic_job_audit: AuditRow;
  /** Keys of `addOnce`. */
  readonly elastic_job_audit_key: { readonly name: string };
}

/** Indexes of `elastic_job_audit`: by time, and by time for one value of a column. */
const INDEXES = [
  ['elastic_job_audit_time', 'at_ms, id'],
  ['elastic_job_audit_job', 'job, at_ms'],
  ['elastic_job_audit_server', 'server, at_ms'],
  ['elastic_job_audit_who', 'who, at_ms'],
  ['elastic_job_audit_switched', 'switched, at_ms'],
] as const;

/**
 * An audit in the application's database: SQLite, PostgreSQL, MySQL or MariaDB, by any driver that Kysely has for them.
 * An entry is a row, written by a statement of its own; its end completes the row. Several consoles may share it.
 *
 * The Kysely belongs to the user: it is never closed here. Its plugins do not apply. The database decides when a row
 * outlives its host: leave `synchronous` of SQLite, `synchronous_commit` of PostgreSQL and
 * `innodb_flush_log_at_trx_commit` of MySQL as they are by default.
 *
 * ```ts
 * new SqlAuditStore(db)
 * ```
 */
export class SqlAuditStore<Database> implements AuditStore {
  private readonly tables: ConsoleTables<AuditTables>;

  /** @throws {ConfigurationError} for wrong and unknown options, and for an unknown dialect */
  constructor(db: Kysely<Database>, options: SqlAuditStoreOptions = {}) {
    const { dialect = consoleDialectOf('SqlAuditStore', db) } = TABLE.checked('SqlAuditStore', options);
    this.tables = new ConsoleTables(asConsoleDb(db), dialect, 'elastic_job_audit_key', statementsOf(dialect));
  }

  /** Creates the tables if they are not there. @throws the driver's error */
  async open(): Promise<readonly string[]> {
    await this.tables.create();
    return [];
  }

  async add(entry: AuditEntry): Promise<void> {
    const db = await this.tables.connection();
    await db.insertInto('elastic_job_audit').values(rowOf(entry)).execute();
  }

  async settle(id: string, end: AuditEnd): Promise<void> {
    const db = await this.tables.connection();
    await db
      .updateTable('elastic_job_audit')
      .set({ outcome: end.outcome, ending: jsonOf(end) })
      .where('id', '=', id)
      .where('outcome', '=', 'intended')
      .execute();
  }

  async addOnce(key: string, entry?: AuditEntry): Promise<boolean> {
    const db = await this.tables.connection();
    const ignore = this.tables.dialect === 'mysql' ? sql`ignore` : sql``;
    const orKeep = this.tables.dialect === 'mysql' ? sql`` : sql`on conflict (name) do nothing`;
    const insert = sql`insert ${ignore} into elastic_job_audit_key (name) values (${comparable(key)}) ${orKeep}`;
    return db.transaction().execute(async (trx) => {
      const { numAffectedRows } = await insert.execute(trx);
      const isFirst = numAffectedRows === 1n;
      if (isFirst && entry !== undefined) await trx.insertInto('elastic_job_audit').values(rowOf(entry)).execute();
      return isFirst;
    });
  }

  async has(key: string): Promise<boolean> {
    const db = await this.tables.connection();
    const query = db.selectFrom('elastic_job_audit_key').select('name').where('name', '=', comparable(key));
    return (await query.executeTakeFirst()) !== undefined;
  }

  async read(filter: AuditFilter): Promise<readonly AuditEntry[]> {
    const db = await this.tables.connection();
    const rows = await db
      .selectFrom('elastic_job_audit')
      .select(['entry', 'ending'])
      .where((eb) => eb.and(conditionsOf(filter, eb)))
      .orderBy('at_ms', 'desc')
      .orderBy('id', 'desc')
      .limit(filter.limit)
      .execute();
    return rows.map(entryOf);
  }

  async lastSwitches(targets: readonly AuditTarget[]): Promise<readonly (AuditEntry | undefined)[]> {
    const keys = targets.map((target) => comparable(targetKey(target)));
    const found = new Map<string, AuditEntry>();
    for (let from = 0; from < keys.length; from += MOST_SWITCHES) {
      const db = await this.tables.connection();
      const parts = keys.slice(from, from + MOST_SWITCHES).map(lastSwitchOf);
      const { rows } = await sql<SwitchRow>`${sql.join(parts, sql` union all `)}`.execute(db);
      for (const row of rows) found.set(row.switched, entryOf(row));
    }
    return keys.map((key) => found.get(key));
  }

  /** The Kysely stays open. */
  async close(): Promise<void> {}
}

/** One look into the index, however often the target was switched. */
function lastSwitchOf(key: string) {
  return sql`select * from (
    select switched, entry, ending from elastic_job_audit
    where switched = ${key} and outcome = 'done' order by at_ms desc, id desc limit 1
  ) as one`;
}

function conditionsOf(
  { action, after, from, job, outcome, seenBy, server, to, unknownUntil, who }: AuditFilter,
  eb: ExpressionBuilder<AuditTables, 'elastic_job_audit'>,
): Expression<SqlBool>[] {
  const conditions: Expression<SqlBool>[] = [];
  if (job !== undefined) conditions.push(eb('job', '=', comparable(job)));
  if (server !== undefined) conditions.push(eb('server', '=', comparable(server)));
  if (who !== undefined) conditions.push(eb('who', '=', comparable(who)));
  if (action !== undefined) conditions.push(eb('action', '=', comparable(action)));
  if (from !== undefined) conditions.push(eb('at_ms', '>=', Date.parse(from)));
  if (to !== undefined) conditions.push(eb('at_ms', '<', Date.parse(to)));
  if (after !== undefined) {
    const at = Date.parse(after.at);
    // Somebody may have made up the cursor, and a database may refuse what is no text for it.
    conditions.push(sql`(at_ms < ${at} or (at_ms = ${at} and id < ${asciiOf(after.id)}))`);
  }
  const isOver = eb('at_ms', '<=', Date.parse(unknownUntil));
  const isIntended = eb('outcome', '=', 'intended');
  if (outcome === 'unknown') conditions.push(eb.or([eb('outcome', '=', 'unknown'), eb.and([isIntended, isOver])]));
  else if (outcome === 'intended') conditions.push(isIntended, eb.not(isOver));
  else if (outcome !== undefined) conditions.push(eb('outcome', '=', outcome));
  if (seenBy !== undefined) {
    const prefix = asciiOf(seenBy.jobPrefix);
    const ofJobs = sql<SqlBool>`substr(job, 1, ${sql.lit(prefix.length)}) = ${prefix}`;
    const isOwn = eb.and([eb('job', 'is', null), eb('who', '=', comparable(seenBy.name))]);
    conditions.push(eb.or([ofJobs, eb.and([isOwn, sql<SqlBool>`substr(action, 1, 8) = 'session.'`])]));
  }
  return conditions;
}

function rowOf(entry: AuditEntry): AuditRow {
  const { action, at, id, outcome, target, who } = entry;
  return {
    id,
    at_ms: Date.parse(at),
    who: who === null ? null : comparable(who),
    job: target.job === undefined ? null : comparable(target.job),
    server: target.server === undefined ? null : comparable(target.server),
    action: comparable(action),
    outcome,
    switched: isSwitch(entry) ? comparable(targetKey(target)) : null,
    entry: jsonOf(entry),
    ending: null,
  };
}

function entryOf({ ending, entry }: Pick<AuditRow, 'entry' | 'ending'>): AuditEntry {
  const end: AuditEnd | undefined = ending === null ? undefined : JSON.parse(ending);
  return withEnd(JSON.parse(entry), end);
}

/** A text as a column has it. The digest of a longer one keeps it apart from others that begin so. */
function comparable(text: string): string {
  const ascii = asciiOf(text);
  if (ascii.length <= WIDTH) return ascii;
  const digest = digestOf(ascii);
  return `${ascii.slice(0, WIDTH - digest.length)}${digest}`;
}

/** JSON in ASCII. */
function jsonOf(value: object): string {
  return JSON.stringify(value).replace(/[^\n -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function statementsOf(dialect: ConsoleDialectName): readonly string[] {
  const isMysql = dialect === 'mysql';
  const end = isMysql ? ' ENGINE=InnoDB DEFAULT CHARACTER SET ascii COLLATE ascii_bin' : '';
  const json = isMysql ? 'MEDIUMTEXT' : 'TEXT';
  const keys = isMysql ? INDEXES.map(([name, columns]) => `, KEY ${name} (${columns})`).join('') : '';
  const indexes = INDEXES.map(
    ([name, columns]) => `CREATE INDEX IF NOT EXISTS ${name} ON elastic_job_audit (${columns})`,
  );
  return [
    'CREATE TABLE IF NOT EXISTS elastic_job_audit (id VARCHAR(40) NOT NULL, at_ms BIGINT NOT NULL, ' +
      `who VARCHAR(${WIDTH}) NULL, job VARCHAR(${WIDTH}) NULL, server VARCHAR(${WIDTH}) NULL, ` +
      `action VARCHAR(${WIDTH}) NOT NULL, ` +
      `outcome VARCHAR(10) NOT NULL, switched VARCHAR(${WIDTH}) NULL, entry ${json} NOT NULL, ending ${json} NULL, ` +
      `PRIMARY KEY (id)${keys})${end}`,
    ...(isMysql ? [] : indexes),
    `CREATE TABLE IF NOT EXISTS elastic_job_audit_key (name VARCHAR(${WIDTH}) NOT NULL, PRIMARY KEY (name))${end}`,
  ];
}
