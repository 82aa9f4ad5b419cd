import { type Kysely, type RawBuilder, sql } from 'kysely';
import { ConfigurationError, isMissingTable, nameStuck, oneOf, type Rule } from '../../domain/index.js';
import { repeat } from '../../repeat/index.js';

/** Databases for the console. MariaDB is `mysql`. */
export type ConsoleDialectName = 'sqlite' | 'postgres' | 'mysql';

/** The option `dialect` of the stores. */
export const DIALECT_RULE: Rule = oneOf(['sqlite', 'postgres', 'mysql']);

/**
 * The dialect of the user's Kysely, by the statements that it writes: Kysely has a copy for `import` and another one
 * for `require`, so its classes do not tell. Plugins may change names.
 * @throws {ConfigurationError} for any other one
 */
export function consoleDialectOf<Database>(owner: string, db: Kysely<Database>): ConsoleDialectName {
  const statement = sql`${sql.id('a')} ${0}`.compile(db.withoutPlugins()).sql;
  switch (statement) {
    case '"a" ?':
      return 'sqlite';
    case '"a" $1':
      return 'postgres';
    case '`a` ?':
      return 'mysql';
    default:
      throw new ConfigurationError(owner, ['dialect must be "sqlite", "postgres" or "mysql"; this Kysely has another']);
  }
}

/** The user's database, typed as one that has the tables, without the user's plugins, which may change names. */
export function asConsoleDb<Database, Tables>(db: Kysely<Database>): Kysely<Tables> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- which tables there are is not known to the types
  return db.withoutPlugins() as unknown as Kysely<Tables>;
}

/**
 * Tables of the console in the user's database. They are created if they are not there, so an application without the
 * right to do so can be given them. All texts in them are ASCII.
 *
 * A connection of libsql that was refused a lock commits nothing for a while, so each use first commits nothing.
 */
export class ConsoleTables<Tables> {
  /**
   * @param table the one that is created last, and is there if all are
   * @param statements create the tables, unless they are there
   */
  constructor(
    private readonly db: Kysely<Tables>,
    readonly dialect: ConsoleDialectName,
    private readonly table: keyof Tables & string,
    private readonly statements: readonly string[],
  ) {}

  /** Creates the tables. Several consoles may do so at once. @throws the driver's error */
  async create(): Promise<void> {
    const db = await this.connection();
    if (await this.isThere(db)) return;
    const createAll = async () => {
      for (const statement of this.statements) await sql.raw(statement).execute(db);
    };
    // PostgreSQL refuses one of two that create the same table or index at once, which may happen for each of them.
    await repeat({ signal: undefined, mostAttempts: this.statements.length + 1 }, createAll);
  }

  /** @throws {StuckConnectionError} */
  async connection(): Promise<Kysely<Tables>> {
    if (this.dialect !== 'sqlite') return this.db;
    const commit = this.db.transaction().execute(async () => {});
    await commit.catch((error: unknown) => {
      throw nameStuck(error);
    });
    return this.db;
  }

  private async isThere(db: Kysely<Tables>): Promise<boolean> {
    const look: RawBuilder<unknown> = sql.raw(`select 1 from ${this.table} where 1 = 0`);
    return look.execute(db).then(
      () => true,
      (error: unknown) => {
        if (isMissingTable(error)) return false;
        throw error;
      },
    );
  }
}

/**
 * A text in ASCII, without spaces: it is the same in all character sets, and compared letter by letter in all
 * collations, also those that ignore spaces at the end. The beginning of a text becomes the beginning of its form.
 */
export function asciiOf(text: string): string {
  return text.replace(/[^!-[\]-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
