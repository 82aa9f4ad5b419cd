import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, sql, SqliteDialect } from 'kysely';
import Libsql from 'libsql';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { SqlHistory, type SqlHistoryOptions } from '../../libs/elastic-job/src/tracing/sql/index.js';
import type { Bundle } from '@test/support/bundle/bundle.js';
import { bundleHistoryThread, inThread } from '@test/support/databases/history-thread.js';
import { describeHistoryContract } from './history/history.contract.js';
import { type HistoryDatabase, never, rowsOf } from './history/history-database.js';
import { toldRun } from './history/told-runs.js';

let threads: Bundle;
beforeAll(async () => {
  threads = await bundleHistoryThread();
});
afterAll(() => threads.remove());

describeHistoryContract('SQLite, in a file', () => openFile(() => ({})));

describeHistoryContract('SQLite, in a file that a thread writes', () =>
  openFile((path) => inThread(threads, 'sqlite', path)),
);

describeHistoryContract('SQLite, in memory', async () => {
  const clients: Kysely<unknown>[] = [];
  // Another connection would be another database, so all clients share this one.
  const shared = client(clients, ':memory:');
  const database: HistoryDatabase = {
    connect: () => shared,
    close: () => shared.destroy(),
  };
  return database;
});

describe('a history in SQLite whose file another connection has locked', () => {
  it('has all rows once the lock is gone, written by a thread', async () => {
    const database = await openFile((path) => inThread(threads, 'sqlite', path));
    onTestFinished(() => database.close());
    const db = database.connect();
    const history = new SqlHistory(db, { gatherMs: 1, ...database.options });
    await history.migrate();
    const heard = new EventEmitter();
    const refused = once(heard, 'error event');
    history.start({ clock: new SystemClock(), emit: ({ kind }) => void heard.emit(`${kind} event`) });

    await sql`begin immediate`.execute(db);
    for (const item of [0, 1]) tellRun(history, item);
    await refused;
    await sql`rollback`.execute(db);
    await history.stop(never());

    expect((await rowsOf(db, 'JOB_EXECUTION_LOG', 'sharding_item')).map((row) => row['sharding_item'])).toEqual([0, 1]);
    expect(history.status.droppedRows).toBe(0);
  });
});

function tellRun(history: SqlHistory<unknown>, item: number): void {
  const { begin, end } = toldRun({ items: [item] });
  for (const event of [...begin, ...end]) history.hear(event);
}

async function openFile(optionsOf: (path: string) => SqlHistoryOptions): Promise<HistoryDatabase> {
  const directory = await mkdtemp(join(tmpdir(), 'history-'));
  const path = join(directory, 'history.db');
  const clients: Kysely<unknown>[] = [];
  return {
    options: optionsOf(path),
    connect: () => client(clients, path),
    close: async () => {
      await Promise.all(clients.map((db) => db.destroy()));
      await rm(directory, { recursive: true });
    },
  };
}

function client(clients: Kysely<unknown>[], path: string): Kysely<unknown> {
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: new Libsql(path) }) });
  clients.push(db);
  return db;
}
