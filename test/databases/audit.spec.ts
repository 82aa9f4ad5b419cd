import { sql } from 'kysely';
import { afterAll, beforeAll, describe } from 'vitest';
import { SqlAuditStore } from '../../libs/elastic-job/src/console/sql/index.js';
import { describeAuditContract } from '../contract/audit/audit.contract.js';
import { KINDS, type OpenedServer, serverOf } from './support/kinds.js';

const TABLES = ['elastic_job_audit', 'elastic_job_audit_key'];

for (const kind of KINDS) {
  const { name, lack, variable, client } = kind;
  const why = process.env[variable] ? undefined : lack;
  describe.skipIf(why)(`${name}${why ?? ', a real server'}`, () => {
    let server: OpenedServer;

    beforeAll(async () => {
      server = await serverOf(kind);
    });
    afterAll(() => server?.remove());

    describeAuditContract(name, async () => {
      const clients = [client(server.url)];
      for (const table of TABLES) await sql.raw(`DROP TABLE IF EXISTS ${table}`).execute(clients[0]!);
      return {
        connect: () => {
          const db = client(server.url);
          clients.push(db);
          return new SqlAuditStore(db);
        },
        remove: async () => {
          await Promise.all(clients.map((db) => db.destroy()));
        },
      };
    });
  });
}
