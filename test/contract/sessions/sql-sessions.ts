import { type Kysely, sql } from 'kysely';
import { SqlSessionStore } from '../../../libs/elastic-job/src/console/sql/sql-session-store.js';
import type { SessionsStage } from './sessions.contract.js';

/** Sessions in a database without their table, and a client of its own for each console. */
export async function sqlSessions(client: () => Kysely<unknown>): Promise<SessionsStage> {
  const clients = [client()];
  await sql`drop table if exists elastic_job_console_session`.execute(clients[0]!);
  return {
    connect: () => {
      const db = client();
      clients.push(db);
      return new SqlSessionStore(db);
    },
    close: async () => {
      await Promise.all(clients.map((db) => db.destroy()));
    },
  };
}
