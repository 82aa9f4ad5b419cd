import { afterEach, describe, expect, it } from 'vitest';
import { TimeDifferenceError } from '../../libs/elastic-job/src/domain/index.js';
import { judgeReadiness } from '../../libs/elastic-job/src/health/index.js';
import type { RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import { ask } from './support/operators.js';
import { operatorOf } from './support/registry-walk.js';
import { itemsOf, range } from './support/run-checks.js';

const JOB = 'settle-orders';
const MINUTE = 60_000;

let cluster: TestCluster;
let operator: RegistryCenter;
afterEach(() => cluster.stop());

describe('a job that allows its clock to differ by 5 seconds', () => {
  it.each([4_000, -4_000])(
    'given a clock that is off by %i ms, when a fire time comes, then the job runs',
    async (ms) => {
      await startCluster(5);
      await stepClock(ms);

      await passMinute();

      expect(itemsOf(cluster.runs(JOB))).toEqual(range(2));
    },
  );

  it.each([6_000, -6_000])(
    'fault 23: given a clock that is off by %i ms, when a fire time comes, then nothing runs, and events and health say by how much',
    async (ms) => {
      await startCluster(5);
      await stepClock(ms);

      await passMinute();

      expect(cluster.runs(JOB)).toEqual([]);
      const [error] = cluster.events(0).flatMap((event) => (event.kind === 'error' ? [event.error] : []));
      if (!(error instanceof TimeDifferenceError)) throw new TypeError(`There is another error: ${String(error)}`);
      const { differenceMs } = error;
      expect(error).toMatchObject({ code: 'TIME_DIFFERENCE', maxTimeDiffSeconds: 5 });
      expect(Math.abs(differenceMs - ms)).toBeLessThanOrEqual(10); // As long as the question was on its way.
      expect(cluster.events(0)).toContainEqual(
        expect.objectContaining({ kind: 'skipped', reason: expect.stringContaining(`${Math.abs(differenceMs)} ms`) }),
      );
      const health = judgeReadiness(cluster.instances[0]!.runtime.status());
      expect(health).toMatchObject({ status: 'down', details: { reasons: [expect.stringContaining('maxTimeDiff')] } });
    },
  );

  it('given a clock that is off, when an operator triggers the job, then nothing runs', async () => {
    await startCluster(5);
    await stepClock(60_000);

    await ask(cluster, operator, JOB, { id: 'a' });
    await cluster.advance(1_000);

    expect(cluster.runs(JOB)).toEqual([]);
    expect(await operator.children(`/${JOB}/trigger`)).toEqual([]);
  });

  it('given fire times that were skipped, when the clock is right again, then the next one runs and none is caught up on', async () => {
    await startCluster(5);
    await passMinute();
    await stepClock(20_000);
    await passMinute();
    expect(cluster.runs(JOB)).toHaveLength(2);

    await stepClock(0);
    await reshard();
    expect(cluster.runs(JOB)).toHaveLength(2);
    await passMinute();
    await reshard();

    expect(cluster.runs(JOB)).toHaveLength(4);
    expect(cluster.runs(JOB).every(({ source }) => source === 'NORMAL_TRIGGER')).toBe(true);
    expect(judgeReadiness(cluster.instances[0]!.runtime.status()).status).toBe('up');
  });
});

it.each([
  [-1, 3],
  [5, 3],
])(
  'given maxTimeDiffSeconds %i, when a trigger has run, then it has cost %i requests',
  async (maxTimeDiffSeconds, cost) => {
    await startCluster(maxTimeDiffSeconds);
    await passMinute();
    const { foreground: before } = { ...cluster.instances[0]!.center.traffic };

    await passMinute();

    expect(cluster.instances[0]!.center.traffic.foreground - before).toBe(cost);
  },
);

async function startCluster(maxTimeDiffSeconds: number): Promise<void> {
  const job = { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 2, maxTimeDiffSeconds, handler: () => {} };
  cluster = await createTestCluster({ instances: 1, latencyMs: 10, jobs: [job] });
  operator = await operatorOf(cluster);
}

/** Lets the instance's clock differ from the registry's. */
async function stepClock(ms: number): Promise<void> {
  cluster.setWall(0, cluster.clock.wallNow() + ms);
  await cluster.advance(0);
}

async function reshard(): Promise<void> {
  await operator.create(`/${JOB}/leader/sharding/necessary`, '', 'PERSISTENT');
  await cluster.advance(1_000);
}

/** Moves well past the next full minute, however late the instance takes it to be. */
function passMinute(): Promise<void> {
  return cluster.advance(MINUTE - (cluster.clock.wallNow() % MINUTE) + 10_000);
}
