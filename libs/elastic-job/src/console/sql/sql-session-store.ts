import { type Kysely, type RawBuilder, sql } from 'kysely';
import { CONSOLE_ROLES, type ConsoleRole } from '../contract/index.js';
import type { SessionStore, StoredSession } from '../identity/index.js';
import { asConsoleDb, consoleDialectOf, ConsoleTables } from './console-dialect.js';

/** Columns as any database has them: texts are in ASCII, whatever its character set; times are milliseconds. */
const CREATE = `create table if not exists elastic_job_console_session (
  id_hash varchar(64) not null primary key, person varchar(1200) not null, person_role varchar(16) not null,
  job_prefix varchar(2400), credential varchar(64) not null, begun_at bigint not null, used_at bigint not null)`;

interface SessionRow {
  readonly id_hash: string;
  readonly person: string;
  readonly person_role: string;
  readonly job_prefix: string | null;
  readonly credential: string;
  readonly begun_at: number | string | bigint;
  readonly used_at: number | string | bigint;
}

interface SessionTables {
  readonly elastic_job_console_session: SessionRow;
}

/**
 * Sessions in the user's database, for several consoles and beyond a restart: SQLite, PostgreSQL, MySQL or MariaDB.
 *
 * - State: the table `elastic_job_console_session`, a row for each session. Without the right to create it, create it
 *   before. A row lets nobody in: it has the SHA-256 of the id.
 * - Every request that has a session reads its row, so a log-out ends it for all consoles.
 * - Failure: each call rejects with the driver's error, and the console answers 503. The next call tries again, and
 *   creates the table if it is gone.
 *
 * The Kysely belongs to the user: it is never closed here, and its plugins do not apply.
 */
export class SqlSessionStore<Database> implements SessionStore {
  private readonly tables: ConsoleTables<SessionTables>;
  /** True once the table was there; false if it may be gone. */
  private isOpen = false;

  /** @throws {ConfigurationError} for an unknown dialect */
  constructor(db: Kysely<Database>) {
    const dialect = consoleDialectOf('SqlSessionStore', db);
    this.tables = new ConsoleTables(asConsoleDb(db), dialect, 'elastic_job_console_session', [CREATE]);
  }

  async add({ key, name, role, jobPrefix, credential, begunAt, usedAt }: StoredSession): Promise<void> {
    const prefix = jobPrefix === null ? null : encodeURIComponent(jobPrefix);
    await this.run(sql`insert into elastic_job_console_session
      (id_hash, person, person_role, job_prefix, credential, begun_at, used_at)
      values (${key}, ${encodeURIComponent(name)}, ${role}, ${prefix}, ${credential}, ${begunAt}, ${usedAt})`);
  }

  async find(key: string): Promise<StoredSession | undefined> {
    const rows = await this.run(sql<SessionRow>`select id_hash, person, person_role, job_prefix, credential, begun_at,
      used_at from elastic_job_console_session where id_hash = ${key}`);
    const [row] = rows;
    const role = row && roleOf(row.person_role);
    if (!row || !role) return undefined;
    return {
      key: row.id_hash,
      name: decodeURIComponent(row.person),
      role,
      jobPrefix: row.job_prefix === null ? null : decodeURIComponent(row.job_prefix),
      credential: row.credential,
      begunAt: Number(row.begun_at),
      usedAt: Number(row.used_at),
    };
  }

  async touch(key: string, usedAt: number): Promise<void> {
    await this.run(sql`update elastic_job_console_session set used_at = ${usedAt}
      where id_hash = ${key} and used_at < ${usedAt}`);
  }

  async remove(key: string): Promise<void> {
    await this.run(sql`delete from elastic_job_console_session where id_hash = ${key}`);
  }

  async prune(begunBefore: number, usedBefore: number): Promise<void> {
    await this.run(sql`delete from elastic_job_console_session
      where begun_at < ${begunBefore} or used_at < ${usedBefore}`);
  }

  private async run<Row>(statement: RawBuilder<Row>): Promise<readonly Row[]> {
    if (!this.isOpen) await this.tables.create();
    this.isOpen = true;
    try {
      return (await statement.execute(await this.tables.connection())).rows;
    } catch (error) {
      this.isOpen = false;
      throw error;
    }
  }
}

/** Undefined for a role of a later version, which lets nobody in here. */
function roleOf(text: string): ConsoleRole | undefined {
  return CONSOLE_ROLES.find((role) => role === text);
}
