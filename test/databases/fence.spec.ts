import { Client, type Pool as PgPool, Pool } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FencedRun, PlainSqlGuard, SqlConnection } from '../../libs/elastic-job/src/guards/plain-sql/index.js';
import { SqlGuard } from '../../libs/elastic-job/src/guards/sql/index.js';
import { KINDS, type OpenedServer, serverOf } from './support/kinds.js';
import { POSTGRES_LACK } from './support/postgres.js';

const POSTGRES = KINDS.find(({ name }) => name === 'PostgreSQL')!;
const TOKEN = 2n ** 62n;

const run = (shardingItem: number, token = TOKEN): FencedRun => ({
  jobName: 'settle-orders',
  shardingItem,
  token,
  tokenEpoch: 0,
});

const why = process.env['POSTGRES_URL'] ? undefined : POSTGRES_LACK;
describe.skipIf(why)(`a fence in PostgreSQL${why ?? ', a real server'}`, () => {
  let server: OpenedServer;
  let pool: PgPool;
  beforeAll(async () => {
    server = await serverOf(POSTGRES);
    pool = new Pool({ connectionString: server.url });
  });
  afterAll(async () => {
    await pool?.end();
    await server?.remove();
  });

  let client: Client;
  let connection: SqlConnection;
  let guard: PlainSqlGuard;
  beforeEach(async () => {
    await pool.query('drop table if exists elastic_job_fence; drop table if exists effect');
    await pool.query('create table effect (position serial, text text)');
    client = new Client({ connectionString: server.url });
    await client.connect();
    connection = new SqlConnection(
      async (statement, parameters) => (await client.query(statement, [...parameters])).rowCount,
    );
    guard = new PlainSqlGuard({
      placeholders: '$1',
      select: async (statement, parameters) => (await pool.query(statement, [...parameters])).rows,
    });
  });
  afterEach(() => client.end());

  const insert = (text: string) => client.query('insert into effect (text) values ($1)', [text]);
  const effects = async () =>
    (await pool.query('select text from effect order by position')).rows.map(({ text }) => text);

  it('keeps the writes of other items whole if items share one client and one fails', async () => {
    await guard.createTable((statement) => client.query(statement));
    const write = (item: number) =>
      guard.write(run(item), connection, async () => {
        await insert(`${item} first`);
        if (item === 1) throw new Error('disk full');
        await insert(`${item} second`);
      });

    const answers = await Promise.allSettled([write(0), write(1), write(2)]);

    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await effects()).toEqual(['0 first', '0 second', '2 first', '2 second']);
  });

  it("refuses a stale run's write after a newer run, and reports it at the start", async () => {
    await guard.createTable((statement) => client.query(statement));
    await guard.write(run(0, TOKEN + 1n), connection, () => insert('rescuer'));

    const stale = guard.write(run(0), connection, () => insert('stale'));

    await expect(stale).rejects.toMatchObject({ code: 'FENCED' });
    expect(await effects()).toEqual(['rescuer']);
    const checked = guard.assertNotAhead('settle-orders', { tokenEpoch: 0, token: TOKEN });
    await expect(checked).rejects.toMatchObject({ stored: { tokenEpoch: 0, token: TOKEN + 1n } });
  });

  it('names the missing guard table to every guard, and how to create it', async () => {
    const db = POSTGRES.client(server.url);
    const kysely = new SqlGuard(db);
    const registry = { tokenEpoch: 0, token: TOKEN };
    try {
      const answers = await Promise.allSettled([
        guard.write(run(0), connection, () => insert('a')),
        guard.assertNotAhead('settle-orders', registry),
        kysely.write(run(0), async () => {}),
        kysely.assertNotAhead('settle-orders', registry),
      ]);
      expect(answers).toEqual(
        answers.map(() => ({ status: 'rejected', reason: expect.objectContaining({ code: 'MISSING_FENCE_TABLE' }) })),
      );

      await kysely.createTable();
      await guard.write(run(0), connection, () => insert('b'));
      expect(await effects()).toEqual(['b']);
    } finally {
      await db.destroy();
    }
  });
});
