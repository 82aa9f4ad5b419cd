import { createTestCluster } from '@app/elastic-job/testing';
import { expect, it } from 'vitest';

it('given an instance that crashes at work, when its session is over, then another one does that work again', async () => {
  const cluster = await createTestCluster({
    instances: 5,
    jobs: [
      {
        name: 'settle-orders',
        cron: '0 * * * * ?', // every minute; the clock starts at one
        shardingTotalCount: 10,
        failover: true,
        handler: (context, { clock }) => clock.sleep(5_000, context.signal),
      },
    ],
  });
  await cluster.advance(60_000); // everybody has begun

  cluster.crash(1);
  await cluster.advance(20_000); // 10 s until the registry ends the session, 5 s to do the work again

  const runs = cluster.runs('settle-orders');
  const lost = runs.filter(({ endedAt }) => endedAt === undefined);
  const again = runs.filter(({ source }) => source === 'FAILOVER');
  expect(lost.map(({ instance }) => instance)).toEqual([1, 1]);
  expect(new Set(again.map(({ item }) => item))).toEqual(new Set(lost.map(({ item }) => item)));
  expect([...cluster.assignment('settle-orders').values()]).not.toContain(1);
  await cluster.stop();
});
