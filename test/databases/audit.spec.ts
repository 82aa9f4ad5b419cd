import { type Kysely, sql } from 'kysely';
import { SqlAuditStore } from '../../libs/elastic-job/src/console/sql/index.js';
import { describeAuditContract } from '../contract/audit/audit.contract.js';
import { describeEachDatabase } from './support/each-database.js';

const TABLES = ['elastic_job_audit', 'elastic_job_audit_key'];

describeEachDatabase((name, client) => {
  describeAuditContract(name, async () => {
    const clients: Kysely<unknown>[] = [client()];
    for (const table of TABLES) await sql.raw(`DROP TABLE IF EXISTS ${table}`).execute(clients[0]!);
    return {
      connect: () => {
        const db = client();
        clients.push(db);
        return new SqlAuditStore(db);
      },
      remove: async () => {
        await Promise.all(clients.map((db) => db.destroy()));
      },
    };
  });
});
