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
  /** Writes a line on the guard's connection, past the guard. */
  writePast(): Promise<unknown>;
  close(): unknown;
}

function throughKysely(): Guarded {
  const db = new Kysely<{ effect: { line: number } }>({ dialect: new SqliteDialect({ database: new Libsql(file) }) });
  const guard = new SqlGuard(db);
  return {
    createTable: () => guard.createTable(),
    write: () => guard.write(RUN, (trx) => trx.insertInto('effect').values({ line: 1 }).execute()),
    writePast: () => db.insertInto('effect').values({ line: 1 }).execute(),
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
    writePast: async () => insert(),
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
    await refuse(() => guarded.write());

    await expect(guarded.write()).rejects.toMatchObject(STUCK);
    await expect(guarded.write()).rejects.toMatchObject(STUCK);
  });

  it('keeps the file free for other processes meanwhile', async () => {
    await refuse(() => guarded.write());
    await guarded.write().catch(() => {});

    other.exec('insert into effect values (2)');

    expect(lines()).toEqual([2]);
  });

  it('keeps the file free if another statement of the connection was refused', async () => {
    await refuse(() => guarded.writePast());
    await expect(guarded.write()).rejects.toMatchObject(STUCK);

    other.exec('insert into effect values (2)');

    expect(lines()).toEqual([2]);
  });

  it('writes again once libsql has ended the refused statement', async () => {
    await refuse(() => guarded.write());
    await guarded.write().catch(() => {});

    await vi.waitFor(async () => {
      collectGarbage();
      await guarded.write();
    });

    expect(lines()).toEqual([1]);
  });
});

describe('SqlGuard over a file that another process has locked', () => {
  const position = { tokenEpoch: 0, token: 9n };
  let db: Kysely<unknown>;
  let guard: SqlGuard<unknown>;
  beforeEach(() => {
    db = new Kysely({ dialect: new SqliteDialect({ database: new Libsql(file) }) });
    guard = new SqlGuard(db);
  });
  afterEach(() => db.destroy());

  it('does not say that it has created a table by a connection that commits nothing', async () => {
    await refuse(() => guard.createTable());

    await expect(guard.createTable()).rejects.toMatchObject(STUCK);
    other.exec('create table effect (line integer)');
  });

  it('keeps the file free as it compares the tokens at start', async () => {
    await guard.createTable();
    other.exec('create table effect (line integer)');
    await refuse(() => guard.write(RUN, async () => {}));

    await expect(guard.assertNotAhead(RUN.jobName, position)).rejects.toMatchObject(STUCK);
    other.exec('insert into effect values (2)');
  });

  it('creates its table in a transaction of the application', async () => {
    await db.transaction().execute((trx) => new SqlGuard(trx).createTable());

    await expect(guard.assertNotAhead(RUN.jobName, position)).resolves.toBeUndefined();
  });
});

/** Has something refused, since the other process writes. */
async function refuse(access: () => Promise<unknown>): Promise<void> {
  other.exec('begin immediate');
  // Only its message, since the stack of an error refers to the statement.
  expect(await access().catch((error: unknown) => String(error))).toContain('database is locked');
  other.exec('rollback');
}

function lines(): readonly unknown[] {
  return other
    .prepare('select line from effect')
    .all()
    .map((row) => Reflect.get(Object(row), 'line'));
}
