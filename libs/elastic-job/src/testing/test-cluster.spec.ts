import { expect, it } from 'vitest';
import { createTestCluster, type TestCluster } from './index.js';

const STOPPED = { status: 'rejected', reason: { message: 'The cluster was stopped while time moved on.' } };

function everySecond(): Promise<TestCluster> {
  const handler = async () => {};
  return createTestCluster({
    instances: 2,
    jobs: [{ name: 'sum', cron: '* * * * * ?', shardingTotalCount: 4, handler }],
  });
}

it('stop ends an advance that runs, as after a test that was timed out, and everything else', async () => {
  const cluster = await everySecond();
  const [advance] = await Promise.allSettled([cluster.advance(24 * 3_600_000), cluster.stop()]);

  expect(advance).toMatchObject(STOPPED);
  expect(cluster.clock.wallNow()).toBeLessThan(Date.UTC(2030, 0, 1, 1));
  expect(cluster.clock.pendingTimers).toBe(0);
});

it('stop ends a wait for work that never ends', async () => {
  const cluster = await everySecond();
  const [wait] = await Promise.allSettled([cluster.clock.advanceUntil(new Promise(() => {})), cluster.stop()]);
  expect(wait).toMatchObject(STOPPED);
});

it('stop while an instance leaves lets it leave', async () => {
  const cluster = await everySecond();
  const [left, stopped] = await Promise.allSettled([cluster.leave(0), cluster.stop()]);

  expect(left).toMatchObject(STOPPED);
  expect(stopped.status).toBe('fulfilled');
  expect(cluster.events(0)).toContainEqual(expect.objectContaining({ kind: 'left', isSessionLost: false }));
});

it('stop twice at the same time ends everything once', async () => {
  const cluster = await everySecond();
  const stopped = await Promise.allSettled([cluster.stop(), cluster.stop()]);
  expect(stopped).toContainEqual({ status: 'fulfilled', value: undefined });
  expect(cluster.clock.pendingTimers).toBe(0);
});
