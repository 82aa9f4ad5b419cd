import type { Kysely } from 'kysely';
import { afterAll, beforeAll, describe } from 'vitest';
import { describeHistoryContract } from '../contract/history/history.contract.js';
import type { HistoryDatabase } from '../contract/history/history-database.js';
import { KINDS, type OpenedServer, serverOf } from './support/kinds.js';

for (const kind of KINDS) {
  const { name, lack, variable, java, client } = kind;
  const why = process.env[variable] ? undefined : lack;
  describe.skipIf(why)(`${name}${why ?? ', a real server'}`, () => {
    let server: OpenedServer;

    beforeAll(async () => {
      server = await serverOf(kind);
    });
    afterAll(() => server?.remove());

    describeHistoryContract(name, async () => openDatabase(() => client(server.url)), java);
  });
}

function openDatabase(client: () => Kysely<unknown>): HistoryDatabase {
  const clients: Kysely<unknown>[] = [];
  return {
    connect: () => {
      const db = client();
      clients.push(db);
      return db;
    },
    close: async () => {
      await Promise.all(clients.map((db) => db.destroy()));
    },
  };
}
