import { expect, it } from 'vitest';
import { createTestCluster } from '../../testing/index.js';

const MINUTE = 60_000;

it('the status of a job counts all fire times that it has missed here', async () => {
  const cluster = await createTestCluster({
    instances: 1,
    jobs: [
      {
        name: 'settle-orders',
        cron: '0 * * * * ?',
        shardingTotalCount: 1,
        misfirePolicy: 'once',
        handler: (_context, { clock }) => clock.sleep(3.5 * MINUTE),
      },
    ],
  });

  await cluster.advance(20 * MINUTE);

  const missed = cluster.events(0).flatMap((event) => (event.kind === 'missed' ? [event.count] : []));
  expect(missed.length).toBeGreaterThan(1);
  expect(cluster.instances[0]!.runtime.status().jobs).toMatchObject([
    { missedRuns: missed.reduce((sum, count) => sum + count, 0) },
  ]);
  await cluster.stop();
});
