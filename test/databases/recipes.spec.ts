import { NestFactory } from '@nestjs/core';
import type { ShardingContext } from '@app/elastic-job';
import type { FencedStore } from '@app/elastic-job/guards/zookeeper';
import { JobOperateApi } from '@app/elastic-job/operations';
import { createTestCluster } from '@app/elastic-job/testing';
import { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { KINDS, type OpenedServer, serverOf } from './support/kinds.js';
import { POSTGRES_LACK } from './support/postgres.js';

/** The interface of each recipe's store. */
interface Store {
  readonly guard: FencedStore;
  onModuleInit(): Promise<void>;
  onModuleDestroy(): Promise<void>;
  write(context: ShardingContext, payment: { readonly id: number; readonly text: string }): Promise<void>;
}

const POSTGRES = KINDS.find(({ name }) => name === 'PostgreSQL')!;
const JOB = 'book-payments';
const RECIPES: Readonly<Record<string, () => Promise<{ readonly PaymentStore: new () => Store }>>> = {
  pg: () => import('./recipes/pg/payment.store.js'),
  typeorm: () => import('./recipes/typeorm/payment.store.js'),
  drizzle: () => import('./recipes/drizzle/payment.store.js'),
};

const why = process.env['POSTGRES_URL'] ? undefined : POSTGRES_LACK;
describe.skipIf(why)(`the recipes of docs/recipes${why ?? ', over a real PostgreSQL'}`, () => {
  let server: OpenedServer;
  let pool: Pool;
  beforeAll(async () => {
    server = await serverOf(POSTGRES);
    pool = new Pool({ connectionString: server.url });
    vi.stubEnv('DATABASE_URL', server.url);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await pool?.end();
    await server?.remove();
  });
  beforeEach(() => pool.query('drop table if exists payment, elastic_job_fence'));

  const payments = async () => (await pool.query('select id, text from payment order by id')).rows;

  describe.each(Object.keys(RECIPES))('%s', (name) => {
    let stale: ShardingContext;
    let rescuer: ShardingContext;
    beforeAll(async () => {
      [stale, rescuer] = await contextsOfARescue();
    });

    let store: Store;
    beforeEach(async () => {
      const { PaymentStore } = await RECIPES[name]!();
      store = new PaymentStore();
      await store.onModuleInit();
    });
    afterEach(() => store.onModuleDestroy());

    it('refuses a stale token once a newer run has written, and keeps what that run has written', async () => {
      await store.write(stale, { id: 0, text: 'before it was cut off' });
      await store.write(rescuer, { id: 1, text: 'rescuer' });

      await expect(store.write(stale, { id: 2, text: 'stale' })).rejects.toMatchObject({ code: 'FENCED' });

      expect(await payments()).toEqual([
        { id: 0, text: 'before it was cut off' },
        { id: 1, text: 'rescuer' },
      ]);
    });

    it('writes a payment once, however often its run is repeated', async () => {
      await store.write(rescuer, { id: 1, text: 'booked' });
      await store.write(rescuer, { id: 1, text: 'booked' });

      expect(await payments()).toEqual([{ id: 1, text: 'booked' }]);
    });

    it('rolls the token back with a payment that fails', async () => {
      const tooLarge = 2 ** 31;
      await expect(store.write(rescuer, { id: tooLarge, text: 'no integer' })).rejects.toThrow('2147483648');
      await store.write(stale, { id: 2, text: 'first' });

      expect(await payments()).toEqual([{ id: 2, text: 'first' }]);
    });

    it('reports at the start that the registry has fallen behind the tokens in the table', async () => {
      await store.write(rescuer, { id: 1, text: 'booked' });

      const registry = { tokenEpoch: 0, token: stale.token! };
      await expect(store.guard.assertNotAhead(JOB, registry)).rejects.toMatchObject({ code: 'FENCE_AHEAD' });
    });
  });

  it('runs the application of the page about pg', async () => {
    const { AppModule } = await import('./recipes/pg/app.module.js');
    const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
    try {
      await app.get(JobOperateApi).trigger(JOB);
      await vi.waitFor(async () => expect(await payments()).toHaveLength(3), { timeout: 20_000 });
    } finally {
      await app.close();
    }
    const { rows } = await pool.query('select item from elastic_job_fence order by item');
    expect(rows).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
  });
});

/** The contexts of a run whose instance is cut off at work, and of the run that repeats it elsewhere. */
async function contextsOfARescue(): Promise<[ShardingContext, ShardingContext]> {
  const contexts: ShardingContext[] = [];
  const cluster = await createTestCluster({
    instances: 2,
    jobs: [
      {
        name: JOB,
        cron: '0 * * * * ?',
        shardingTotalCount: 1,
        failover: true,
        handler: async (context, { clock }) => {
          contexts.push(context);
          await clock.sleep(30_000);
        },
      },
    ],
  });
  await cluster.advance(60_000);
  cluster.partition(cluster.assignment(JOB).get(0)!);
  await cluster.advance(30_000);
  await cluster.stop();
  const [stale, rescuer] = contexts;
  expect([stale?.source, rescuer?.source]).toEqual(['NORMAL_TRIGGER', 'FAILOVER']);
  return [stale!, rescuer!];
}
