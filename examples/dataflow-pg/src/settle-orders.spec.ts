import { Test, type TestingModule } from '@nestjs/testing';
import { JobEvents } from 'nestjs-elastic-job';
import { JobOperateApi } from 'nestjs-elastic-job/operations';
import { Pool } from 'pg';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AppModule } from './app.module.js';
import { OrderStore } from './order.store.js';

let app: TestingModule;
let store: OrderStore;

beforeEach(async () => {
  const pool = new Pool({ connectionString: process.env.DATABASE_URL });
  await pool.query('drop table if exists orders, elastic_job_fence');
  await pool.end();
  app = await Test.createTestingModule({ imports: [AppModule] }).compile();
  await app.init();
  store = app.get(OrderStore);
  await store.add(250);
});
afterEach(() => app.close());

it('settles every order in batches', async () => {
  const settle = vi.spyOn(store, 'settle');

  expect(await run()).toBe(0);

  expect(await store.countSettled()).toBe(250);
  expect(settle.mock.calls.map(([, ids]) => ids.length).sort()).toEqual([100, 100, 25, 25]);
});

it('goes on after the last batch when a run has failed', async () => {
  const settle = store.settle.bind(store);
  let batches = 0;
  vi.spyOn(store, 'settle').mockImplementation(async (context, ids) => {
    if (context.shardingItem === 0 && ++batches === 2) throw new Error('The database is away.');
    await settle(context, ids);
  });
  expect(await run()).toBe(1);
  expect(await store.countSettled()).toBe(225);

  const next = vi.spyOn(store, 'next');
  expect(await run()).toBe(0);

  const [, after] = next.mock.calls.find(([{ shardingItem }]) => shardingItem === 0)!;
  expect(after).toBe(200); // the hundredth even number
  expect(await store.countSettled()).toBe(250);
});

/** Runs the job once. @returns how many items have failed */
async function run(): Promise<number> {
  const failures = new Promise<number>((resolve) => {
    const stop = app.get(JobEvents).on((event) => {
      if (event.kind !== 'finished') return;
      stop();
      resolve(event.failures.size);
    });
  });
  await app.get(JobOperateApi).trigger('settle-orders');
  return failures;
}
