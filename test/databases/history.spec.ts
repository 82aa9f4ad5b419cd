import { CompiledQuery, Kysely, MysqlDialect, sql } from 'kysely';
import { createPool } from 'mysql2';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { SqlHistory, type SqlHistoryOptions } from '../../libs/elastic-job/src/tracing/sql/index.js';
import { dropTables, type HistoryDatabase } from '../contract/history/history-database.js';
import { describeHistoryContract } from '../contract/history/history.contract.js';
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

    it.each(dialect === 'mysql' ? ['pages over a table without sorting what it holds'] : [])('%s', async () => {
      const asked: CompiledQuery[] = [];
      const pool = createPool({ uri: server.url });
      const db = new Kysely<unknown>({
        dialect: new MysqlDialect({ pool }),
        log: ({ query }) => void asked.push(query),
      });
      onTestFinished(() => db.destroy());
      await dropTables(db);
      const history = new SqlHistory(db);
      await history.migrate();
      await fill(db, 900);

      const pages = [
        () => history.executions({ limit: 1 }),
        () => history.executions({ jobName: 'settle', limit: 1 }),
        () => history.executions({ jobName: 'settle', shardingItem: 3, limit: 1 }),
        () => history.statuses({ limit: 1 }),
      ];
      for (const page of pages) {
        await page();
        const { parameters, sql: text } = asked.at(-1)!;
        const { rows } = await db.executeQuery(CompiledQuery.raw(`explain ${text}`, [...parameters]));
        expect(JSON.stringify(rows)).toContain('_INDEX');
        expect(JSON.stringify(rows)).not.toContain('filesort');
      }
    });
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

/** Writes so many runs of a job with nine items. */
async function fill(db: Kysely<unknown>, count: number): Promise<void> {
  const numbers = `with recursive n as (select 0 as i union all select i + 1 from n where i < ${count - 1})`;
  const time = `timestampadd(second, i, '2026-01-01')`;
  const executions = `insert into JOB_EXECUTION_LOG (id, job_name, task_id, hostname, ip, sharding_item,
    execution_source, is_success, start_time) ${numbers}
    select uuid(), if(i % 2, 'settle', 'bill'), 'task', 'host', '10.0.0.1', mod(i, 9), 'NORMAL_TRIGGER', 1, ${time}
    from n`;
  const statuses = `insert into JOB_STATUS_TRACE_LOG (id, job_name, original_task_id, task_id, slave_id, execution_type,
    sharding_item, state, creation_time) ${numbers}
    select uuid(), 'settle', '', 'task', '10.0.0.1', 'READY', '[0]', 'TASK_RUNNING', ${time} from n`;
  for (const text of [executions, statuses, 'analyze table JOB_EXECUTION_LOG, JOB_STATUS_TRACE_LOG'])
    await sql.raw(text).execute(db);
}
