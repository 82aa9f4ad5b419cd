import { afterEach, expect, it } from 'vitest';
import type { Clock } from '../../libs/elastic-job/src/clock/index.js';
import type { DataflowJob, ShardingContext } from '../../libs/elastic-job/src/domain/index.js';
import { dataflowHandler } from '../../libs/elastic-job/src/executor/index.js';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import { Seeded } from '@test/support/seeded.js';
import { itemsOf } from './support/run-checks.js';

const JOB = 'copy-rows';
const CHILD = 'report';
const ITEMS = 4;
const ROWS_PER_ITEM = 250_000;
const BATCH = 500;
const KILLS = 100;

let cluster: TestCluster;
afterEach(() => cluster.stop());

/** Number of times each row was processed. All instances share it, as they would share a database. */
const processed = Array.from({ length: ITEMS }, () => new Uint8Array(ROWS_PER_ITEM));

/** Number of rows that had been processed when each run of the waiting job began. */
const rowsAtStart: number[] = [];

class CopyRows implements DataflowJob<number> {
  constructor(private readonly clock: Clock) {}

  async fetchData({ checkpoint }: ShardingContext): Promise<number[]> {
    const first = (await checkpoint.load<number>()) ?? 0;
    return Array.from({ length: Math.min(BATCH, ROWS_PER_ITEM - first) }, (_, index) => first + index);
  }

  async processData({ shardingItem, checkpoint }: ShardingContext, rows: readonly number[]): Promise<void> {
    for (const row of rows) processed[shardingItem]![row]! += 1;
    await this.clock.sleep(500);
    await checkpoint.save(rows.at(-1)! + 1);
  }
}

it('processes a million rows over 100 kills: at most a batch is repeated, and the child starts once', async () => {
  const chance = new Seeded(6);
  cluster = await createTestCluster({
    instances: 3,
    sessionTimeoutMs: 2_000,
    jobs: [
      {
        name: JOB,
        cron: '0 1 * * * ?',
        shardingTotalCount: ITEMS,
        failover: true,
        props: { 'streaming.process': 'true' },
        handler: (context, { clock }) => dataflowHandler(clock, new CopyRows(clock))(context),
      },
      {
        name: CHILD,
        after: JOB,
        shardingTotalCount: 2,
        failover: true,
        handler: async (_, { clock }) => {
          rowsAtStart.push(processed.reduce((sum, rows) => sum + rows.filter((times) => times > 0).length, 0));
          await clock.sleep(20_000);
        },
      },
    ],
  });
  await cluster.advance(61_000);
  const alive = [0, 1, 2];
  let hits = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    await cluster.advance(chance.between(2_000, 6_000));
    const [victim = 0] = alive.splice(chance.below(alive.length), 1);
    hits += cluster.runs(JOB).filter(({ instance, endedAt }) => instance === victim && endedAt === undefined).length;
    cluster.crash(victim);
    alive.push(await cluster.join());
  }
  await cluster.advance(5 * 60_000);

  const counts = new Map<number, number>();
  for (const rows of processed) for (const times of rows) counts.set(times, (counts.get(times) ?? 0) + 1);
  expect(counts.get(0) ?? 0).toBe(0);
  const repeated = processed.reduce((sum, rows) => sum + rows.reduce((extra, times) => extra + times - 1, 0), 0);
  expect(hits).toBeGreaterThan(KILLS / 2);
  expect(repeated).toBeGreaterThan(0);
  expect(repeated).toBeLessThanOrEqual(hits * BATCH);

  const started = cluster.runs(CHILD).filter(({ source }) => source !== 'FAILOVER');
  expect(itemsOf(started)).toEqual([0, 1]);
  expect(new Set(rowsAtStart)).toEqual(new Set([ITEMS * ROWS_PER_ITEM]));
}, 120_000);
