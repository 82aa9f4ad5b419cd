import { CLOCK, type Clock, ElasticJob, ElasticJobModule, type ShardingContext } from '@app/elastic-job';
import { createTestCluster, type TestCluster } from '@app/elastic-job/testing';
import { Inject, Injectable, Module } from '@nestjs/common';
import { afterEach, beforeEach, expect, it } from 'vitest';

@Injectable()
class OrderJobs {
  readonly settled: number[] = [];

  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  @ElasticJob({ name: 'settle-orders', cron: '0 * * * * ?', shardingTotalCount: 6, failover: true })
  async settle({ shardingItem, signal }: ShardingContext): Promise<void> {
    await this.clock.sleep(5_000, signal);
    this.settled.push(shardingItem);
  }
}

@Module({
  imports: [
    ElasticJobModule.forRoot({ registry: { type: 'zookeeper', servers: '10.0.0.1:2181', namespace: 'orders' } }),
  ],
  providers: [OrderJobs],
})
class AppModule {}

let cluster: TestCluster;
beforeEach(async () => {
  cluster = await createTestCluster({ instances: 3, module: AppModule });
});
afterEach(() => cluster.stop());

it('given an application that leaves at work, when it has drained, then the others own its items', async () => {
  const leaver = cluster.app(0).get(OrderJobs);
  await cluster.advance(60_000);

  await cluster.leave(0);
  await cluster.advance(1_000);

  expect(leaver.settled).toHaveLength(2);
  expect(new Set(cluster.assignment('settle-orders').values())).toEqual(new Set([1, 2]));
});

it('given a process that stands still for too long, when it goes on, then its handlers have been told', async () => {
  const sleeper = cluster.app(0).get(OrderJobs);
  await cluster.advance(60_000);

  cluster.pause(0);
  await cluster.advance(30_000);
  await cluster.resume(0);

  expect(sleeper.settled).toEqual([]); // the signal aborted their sleep
  expect(cluster.runs('settle-orders').filter(({ source }) => source === 'FAILOVER')).toHaveLength(2);
});
