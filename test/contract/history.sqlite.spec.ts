import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, SqliteDialect } from 'kysely';
import Libsql from 'libsql';
import { describeHistoryContract } from './history/history.contract.js';
import type { HistoryDatabase } from './history/history-database.js';

describeHistoryContract('SQLite, in a file', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'history-'));
  const clients: Kysely<unknown>[] = [];
  return {
    connect: () => client(clients, join(directory, 'history.db')),
    close: async () => {
      await Promise.all(clients.map((db) => db.destroy()));
      await rm(directory, { recursive: true });
    },
  };
});

describeHistoryContract('SQLite, in memory', async () => {
  const clients: Kysely<unknown>[] = [];
  // Another connection would be another database: its clients share the one.
  const shared = client(clients, ':memory:');
  const database: HistoryDatabase = {
    connect: () => shared,
    close: () => shared.destroy(),
  };
  return database;
});

function client(clients: Kysely<unknown>[], path: string): Kysely<unknown> {
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: new Libsql(path) }) });
  clients.push(db);
  return db;
}
