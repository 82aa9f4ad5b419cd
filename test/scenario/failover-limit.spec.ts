import { afterEach, describe, expect, it } from 'vitest';
import type { JobOptions } from '../../libs/elastic-job/src/domain/index.js';
import { judgeReadiness } from '../../libs/elastic-job/src/health/index.js';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';

const JOB = 'settle-orders';
const HOUR = 3_600_000;
const MINUTE = 60_000;

let cluster: TestCluster;
afterEach(() => cluster.stop());

describe('a failover queue with a limit', () => {
  it('queues one orphan, reports those that do not fit, and degrades health until it is claimed', async () => {
    await start({ runMs: 20 * MINUTE, job: { concurrency: 3 } });
    const fireTime = await untilNextHour();
    const [, ...dropped] = await crash(0);
    const { failover } = cluster.instances[1]!.runtime;

    expect(await cluster.clock.advanceUntil(failover.pending(JOB))).toHaveLength(1);
    const lost = await cluster.clock.advanceUntil(failover.overflowed(JOB));
    expect(lost).toMatchObject(dropped.map((item) => ({ item, fireTime })));
    expect(cluster.events(1).filter(({ kind }) => kind === 'failover-overflow')).toMatchObject([{ items: dropped }]);
    expect(readiness()).toMatchObject({
      status: 'degraded',
      details: { reasons: [`job "${JOB}": its failover queue is full`] },
    });

    await cluster.advance(21 * MINUTE);
    expect(readiness().status).toBe('up');
    expect(cluster.runs(JOB).filter(({ source }) => source === 'FAILOVER')).toHaveLength(1);
  });

  it.each([
    [true, ['MISFIRE', 'MISFIRE']],
    [false, []],
  ])(
    'with misfire: %s, items that overflowed catch up on the fire time since then accordingly: %j',
    async (misfire, sources) => {
      await start({ runMs: 2 * HOUR, job: { misfire } });
      const fireTime = await untilNextHour();
      await cluster.advance(HOUR - 6_000); // The session ends after the next fire time.
      const [, ...dropped] = await crash(0);

      const later = cluster.runs(JOB).filter((run) => dropped.includes(run.item) && run.fireTime > fireTime);
      expect(later.map(({ source }) => source)).toEqual(sources);
    },
  );
});

/** Two instances of three items each, and a failover queue for one item. */
async function start({ runMs, job }: { runMs: number; job: Partial<JobOptions> }): Promise<void> {
  const handler = () => cluster.clock.sleep(runMs);
  const options = { name: JOB, cron: '0 0 * * * ?', shardingTotalCount: 6, failover: true, failoverQueueLimit: 1 };
  cluster = await createTestCluster({ instances: 2, jobs: [{ ...options, ...job, handler }] });
}

/** @returns the hour that has been reached */
async function untilNextHour(): Promise<number> {
  await cluster.advance(HOUR - (cluster.clock.wallNow() % HOUR) + 1_000);
  return cluster.clock.wallNow() - 1_000;
}

/** @returns the items that the instance ran, ascending, once its session has ended */
async function crash(instance: number): Promise<readonly number[]> {
  const items = [...cluster.assignment(JOB)].filter(([, owner]) => owner === instance).map(([item]) => item);
  cluster.crash(instance);
  await cluster.advance(15_000);
  return items;
}

function readiness() {
  return judgeReadiness(cluster.instances[1]!.runtime.status());
}
