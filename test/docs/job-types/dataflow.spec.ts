import { type DataflowJob, ElasticJob, ElasticJobModule, type ShardingContext } from '@app/elastic-job';
import { createTestCluster } from '@app/elastic-job/testing';
import { Injectable, Module } from '@nestjs/common';
import { expect, it } from 'vitest';

const ORDERS = Array.from({ length: 95 }, (_, id) => ({ id }));
const settled: number[] = [];

@Injectable()
@ElasticJob({
  name: 'settle-orders',
  cron: '0 0 2 * * ?',
  shardingTotalCount: 2,
  failover: true,
  props: { 'streaming.process': 'true' }, // until nothing is fetched
})
class SettleOrders implements DataflowJob<{ id: number }> {
  async fetchData({ shardingItem, shardingTotalCount, checkpoint }: ShardingContext) {
    const last = (await checkpoint.load<number>()) ?? -1;
    return ORDERS.filter(({ id }) => id > last && id % shardingTotalCount === shardingItem).slice(0, 10);
  }

  async processData({ checkpoint }: ShardingContext, orders: readonly { id: number }[]) {
    settled.push(...orders.map(({ id }) => id));
    await checkpoint.save(orders.at(-1)?.id);
  }
}

@Module({ imports: [ElasticJobModule.forRoot({})], providers: [SettleOrders] })
class AppModule {}

it('given orders, when the night comes, then each is settled once, in batches of ten', async () => {
  const cluster = await createTestCluster({ instances: 2, module: AppModule });
  await cluster.advance(2 * 3_600_000 + 1_000);

  expect(settled.toSorted((a, b) => a - b)).toEqual(ORDERS.map(({ id }) => id));
  await cluster.stop();
});
