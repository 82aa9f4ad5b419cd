import { Kysely, SqliteDialect } from 'kysely';
import Libsql from 'libsql';

/** A real SQLite database in memory that can be out of reach, or refuse to be written, for a while. */
export class SwitchedSqlite {
  isAway = false;
  /** Error of all writes, while the database can be read. */
  refusal: Error | undefined;
  /** A text of statements that it refuses for a lack of rights. */
  forbidden: string | undefined;
  readonly db: Kysely<unknown>;
  private readonly real = new Libsql(':memory:');

  constructor() {
    const database = {
      prepare: (text: string) => {
        if (this.isAway) throw new Error('connect ECONNREFUSED');
        if (this.forbidden !== undefined && text.includes(this.forbidden)) {
          throw Object.assign(new Error('permission denied'), { code: '42501' });
        }
        if (this.refusal !== undefined && text.startsWith('insert')) throw this.refusal;
        return this.real.prepare(text);
      },
      close: () => void this.real.close(),
    };
    this.db = new Kysely<unknown>({ dialect: new SqliteDialect({ database }) });
  }

  /** Runs a statement, also while the database is out of reach for its users. */
  exec(text: string): void {
    this.real.exec(text);
  }

  /** All rows of a table. */
  rows(table: string): readonly unknown[] {
    return this.real.prepare(`select * from ${table}`).all();
  }

  /** The first value of the first row. */
  value(text: string): unknown {
    const row: unknown = this.real.prepare(text).get();
    return Object.values(Object(row))[0];
  }
}
