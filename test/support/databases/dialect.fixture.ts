// A module as a user's `dialectModule`. The database stands in its own URL, as `?sqlite=PATH` or `?postgres=URL`.
import { type Dialect, MysqlDialect, PostgresDialect, SqliteDialect } from 'kysely';
import Libsql from 'libsql';
import { createPool } from 'mysql2';
import { Pool } from 'pg';

const [[kind, place] = ['', '']] = new URL(import.meta.url).searchParams;

export function createDialect(): Dialect {
  if (kind === 'postgres') return postgresDialect();
  if (kind === 'mysql') return new MysqlDialect({ pool: createPool({ uri: place }) });
  return new SqliteDialect({ database: new Libsql(place) });
}

function postgresDialect(): Dialect {
  const pool = new Pool({ connectionString: place, connectionTimeoutMillis: 2_000 });
  pool.on('error', () => {}).on('connect', (client) => client.on('error', () => {}));
  return new PostgresDialect({ pool });
}
