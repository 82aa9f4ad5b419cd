import { afterEach, describe, expect, it } from 'vitest';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import { range } from './support/run-checks.js';

const JOB = 'settle-orders';
const PERIOD_MS = 10_000;
const RUN_MS = 8_000;
const SESSION_TIMEOUT_MS = 10_000;

let cluster: TestCluster;
afterEach(() => cluster.stop());

describe('an instance that never has a free slot', () => {
  it.each(['skip', 'once', 'all'] as const)(
    'runs an orphan in order, then its other fire times, under policy "%s"',
    async (misfirePolicy) => {
      const handler = () => cluster.clock.sleep(RUN_MS);
      const job = { name: JOB, cron: '0/10 * * * * ?', shardingTotalCount: 3, failover: true, concurrency: 1, handler };
      cluster = await createTestCluster({
        instances: 2,
        sessionTimeoutMs: SESSION_TIMEOUT_MS,
        jobs: [{ ...job, misfirePolicy }],
      });
      // Two items, one after the other, take longer than a period.
      const busy = range(2).find((index) => ownedBy(index).length === 2)!;
      const [orphan] = ownedBy(1 - busy);
      await cluster.advance(4 * PERIOD_MS - (cluster.clock.wallNow() % PERIOD_MS) + 1_000);
      const before = cluster.runs(JOB).length;

      cluster.crash(1 - busy);
      await cluster.advance(SESSION_TIMEOUT_MS + 2 * PERIOD_MS + 3 * RUN_MS);
      const rescue = cluster
        .runs(JOB)
        .slice(before)
        .find(({ item }) => item === orphan);
      expect(rescue).toMatchObject({ instance: busy, source: 'FAILOVER' });

      await cluster.advance(3 * PERIOD_MS + 3 * RUN_MS);
      const after = cluster.runs(JOB).slice(before);
      for (const item of range(3)) expect(after.filter((run) => run.item === item).length).toBeGreaterThan(1);
    },
  );
});

function ownedBy(index: number): number[] {
  return [...cluster.assignment(JOB)].flatMap(([item, owner]) => (owner === index ? [item] : []));
}
