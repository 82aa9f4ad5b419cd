import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, SqliteDialect } from 'kysely';
import Libsql from 'libsql';
import { afterAll, beforeAll } from 'vitest';
import type { SqlHistoryOptions } from '../../libs/elastic-job/src/tracing/sql/index.js';
import type { Bundle } from '../support/bundle/bundle.js';
import { bundleHistoryThread, inThread } from '../support/databases/history-thread.js';
import { describeHistoryContract } from './history/history.contract.js';
import type { HistoryDatabase } from './history/history-database.js';

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
