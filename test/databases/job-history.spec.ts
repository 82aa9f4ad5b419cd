import type { Kysely } from 'kysely';
import { describeJobHistoryContract } from '../contract/history/job-history.contract.js';
import { describeEachDatabase } from './support/each-database.js';
import { KINDS } from './support/kinds.js';

describeEachDatabase((name, client) => {
  const open = async () => {
    const clients: Kysely<unknown>[] = [];
    return {
      connect: () => {
        const db = client();
        clients.push(db);
        return db;
      },
      close: async () => void (await Promise.all(clients.map((db) => db.destroy()))),
    };
  };
  describeJobHistoryContract(name, open, KINDS.find((kind) => kind.name === name)?.java);
});
