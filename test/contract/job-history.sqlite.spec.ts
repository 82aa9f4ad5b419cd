import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, SqliteDialect } from 'kysely';
import Libsql from 'libsql';
import { describeJobHistoryContract } from './history/job-history.contract.js';

describeJobHistoryContract('SQLite, in a file', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'job-history-'));
  const clients: Kysely<unknown>[] = [];
  return {
    connect: () => {
      const database = new Libsql(join(directory, 'history.db'), { timeout: 5_000 });
      const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database }) });
      clients.push(db);
      return db;
    },
    close: async () => {
      await Promise.all(clients.map((db) => db.destroy()));
      await rm(directory, { recursive: true });
    },
  };
});
