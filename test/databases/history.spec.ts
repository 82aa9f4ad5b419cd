import type { Kysely } from 'kysely';
import { afterAll, beforeAll, describe } from 'vitest';
import type { SqlHistoryOptions } from '../../libs/elastic-job/src/tracing/sql/index.js';
import { describeHistoryContract } from '../contract/history/history.contract.js';
import type { HistoryDatabase } from '../contract/history/history-database.js';
import type { Bundle } from '@test/support/bundle/bundle.js';
import { bundleHistoryThread, inThread } from '@test/support/databases/history-thread.js';
import { KINDS, type OpenedServer, serverOf } from './support/kinds.js';

let threads: Bundle;
beforeAll(async () => {
  threads = await bundleHistoryThread();
});
afterAll(() => threads.remove());

for (const kind of KINDS) {
  const { name, lack, variable, dialect, java, client } = kind;
  const why = process.env[variable] ? undefined : lack;
  describe.skipIf(why)(`${name}${why ?? ', a real server'}`, () => {
    let server: OpenedServer;

    beforeAll(async () => {
      server = await serverOf(kind);
    });
    afterAll(() => server?.remove());

    describeHistoryContract(name, async () => openDatabase(() => client(server.url)), java);

    describeHistoryContract(`${name}, written by a thread`, async () =>
      openDatabase(() => client(server.url), inThread(threads, dialect, server.url)),
    );
  });
}

function openDatabase(client: () => Kysely<unknown>, options?: SqlHistoryOptions): HistoryDatabase {
  const clients: Kysely<unknown>[] = [];
  return {
    options,
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
