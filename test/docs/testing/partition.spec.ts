import { FencedError, type ShardingContext } from '@app/elastic-job';
import { createTestCluster } from '@app/elastic-job/testing';
import { expect, it } from 'vitest';

/** A store that refuses whoever comes with an older token than it has seen. In SQL it is SqlGuard that does this. */
class Balances {
  readonly written: string[] = [];
  private newest = 0n;

  write({ jobName, shardingItem, token = 0n }: ShardingContext, text: string): void {
    if (token < this.newest) throw new FencedError(jobName, shardingItem, token);
    this.newest = token;
    this.written.push(text);
  }
}

it('given an instance that is cut off and goes on writing, when its item has run elsewhere, then its write is refused', async () => {
  const balances = new Balances();
  const cluster = await createTestCluster({
    instances: 2,
    jobs: [
      {
        name: 'settle-orders',
        cron: '0 * * * * ?',
        shardingTotalCount: 1,
        failover: true,
        handler: async (context, { index, clock }) => {
          await clock.sleep(index === owner ? 30_000 : 1_000); // it does not heed its signal
          balances.write(context, `instance ${index}`);
        },
      },
    ],
  });
  const owner = cluster.assignment('settle-orders').get(0)!;
  const other = 1 - owner;
  await cluster.advance(60_000);

  cluster.partition(owner);
  await cluster.advance(40_000);

  expect(cluster.runs('settle-orders')).toMatchObject([
    { instance: owner, source: 'NORMAL_TRIGGER', endedAt: expect.any(Number) },
    { instance: other, source: 'FAILOVER' },
  ]);
  expect(balances.written).toEqual([`instance ${other}`]);
  await cluster.heal(owner);
  await cluster.stop();
});
