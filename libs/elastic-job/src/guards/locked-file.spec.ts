import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, SqliteDialect } from 'kysely';
import Libsql from 'libsql';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { collectGarbage } from '@test/support/databases/collect-garbage.js';
import { type ExecuteSqlSync, PlainSqlGuard, SqlConnection } from './plain-sql/index.js';
import { type FencedRun, SqlGuard } from './sql/index.js';

const RUN: FencedRun = { jobName: 'settle-orders', shardingItem: 0, token: 7n, tokenEpoch: 0 };
const STUCK = {
  code: 'STUCK_CONNECTION',
  message: expect.stringContaining('{ timeout: 5_000 }'),
  cause: expect.objectContaining({ message: expect.stringContaining('SQL statements in progress') }),
};

let folder: string;
let file: string;
/** The connection of another process. */
let other: Libsql.Database;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'locked-file-'));
  file = join(folder, 'orders.db');
  other = new Libsql(file);
});
afterEach(() => {
  other.close();
  rmSync(folder, { recursive: true });
});

/** A guarded database whose connection waits for no lock. */
interface Guarded {
  createTable(): Promise<unknown>;
  /** Writes a line through the guard. */
  write(): Promise<unknown>;
  close(): unknown;
}

function throughKysely(): Guarded {
  const db = new Kysely<{ effect: { line: number } }>({ dialect: new SqliteDialect({ database: new Libsql(file) }) });
  const guard = new SqlGuard(db);
  return {
    createTable: () => guard.createTable(),
    write: () => guard.write(RUN, (trx) => trx.insertInto('effect').values({ line: 1 }).execute()),
    close: () => db.destroy(),
  };
}

function throughDriver(how: 'write' | 'writeSync'): Guarded {
  const db = new Libsql(file);
  const execute: ExecuteSqlSync = (statement, parameters) => db.prepare(statement).run(...parameters).changes;
  const guard = new PlainSqlGuard({
    placeholders: '?',
    select: (statement, parameters) => db.prepare(statement).all(...parameters),
  });
  const connection = new SqlConnection(async (...statement) => execute(...statement));
  const insert = () => execute('insert into effect values (1)', []);
  return {
    createTable: () => guard.createTable(async (text) => execute(text, [])),
    write: async () =>
      how === 'write' ? guard.write(RUN, connection, async () => insert()) : guard.writeSync(RUN, execute, insert),
    close: () => db.close(),
  };
}

describe.each([
  ['SqlGuard.write', throughKysely],
  ['PlainSqlGuard.write', () => throughDriver('write')],
  ['PlainSqlGuard.writeSync', () => throughDriver('writeSync')],
])('%s over a file that another process has locked', (_, open) => {
  let guarded: Guarded;
  beforeEach(async () => {
    guarded = open();
    await guarded.createTable();
    other.exec('create table effect (line integer)');
  });
  afterEach(() => guarded.close());

  it('names the setting that helps if the connection commits nothing after a refused lock', async () => {
    await refuseOnce();

    await expect(guarded.write()).rejects.toMatchObject(STUCK);
    await expect(guarded.write()).rejects.toMatchObject(STUCK);
  });

  it('keeps the file free for other processes meanwhile', async () => {
    await refuseOnce();
    await guarded.write().catch(() => {});

    other.exec('insert into effect values (2)');

    expect(lines()).toEqual([2]);
  });

  it('writes again once libsql has ended the refused statement', async () => {
    await refuseOnce();
    await guarded.write().catch(() => {});

    await vi.waitFor(async () => {
      collectGarbage();
      await guarded.write();
    });

    expect(lines()).toEqual([1]);
  });

  async function refuseOnce(): Promise<void> {
    other.exec('begin immediate');
    // Only its message, since the stack of an error refers to the statement.
    expect(await guarded.write().catch((error: unknown) => String(error))).toContain('database is locked');
    other.exec('rollback');
  }
});

function lines(): readonly unknown[] {
  return other
    .prepare('select line from effect')
    .all()
    .map((row) => Reflect.get(Object(row), 'line'));
}
