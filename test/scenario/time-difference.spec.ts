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
  it.each([4_000, -4_000])('runs with a clock that is off by %i ms', async (ms) => {
    await startCluster(5);
    await stepClock(ms);

    await passMinute();

    expect(itemsOf(cluster.runs(JOB))).toEqual(range(2));
  });

  it.each([6_000, -6_000])(
    'runs nothing with a clock that is off by %i ms; events and health say by how much (fault 23)',
    async (ms) => {
      await startCluster(5);
      await stepClock(ms);

      await passMinute();

      expect(cluster.runs(JOB)).toEqual([]);
      const [error] = cluster.events(0).flatMap((event) => (event.kind === 'error' ? [event.error] : []));
      if (!(error instanceof TimeDifferenceError)) throw new TypeError(`There is another error: ${String(error)}`);
      const { differenceMs } = error;
      expect(error).toMatchObject({ code: 'TIME_DIFFERENCE', maxTimeDiffSeconds: 5 });
      expect(Math.abs(differenceMs - ms)).toBeLessThanOrEqual(10); // The tolerance is the time that the question took.
      expect(cluster.events(0)).toContainEqual(
        expect.objectContaining({ kind: 'skipped', reason: expect.stringContaining(`${Math.abs(differenceMs)} ms`) }),
      );
      const health = judgeReadiness(cluster.instances[0]!.runtime.status());
      expect(health).toMatchObject({ status: 'down', details: { reasons: [expect.stringContaining('maxTimeDiff')] } });
    },
  );

  it("runs nothing for an operator's trigger while the clock is off", async () => {
    await startCluster(5);
    await stepClock(60_000);

    await ask(cluster, operator, JOB, { id: 'a' });
    await cluster.advance(1_000);

    expect(cluster.runs(JOB)).toEqual([]);
    expect(await operator.children(`/${JOB}/trigger`)).toEqual([]);
  });

  it('runs the next fire time once the clock is right again, and catches up on none that was skipped', async () => {
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
])('with maxTimeDiffSeconds %i, a trigger costs %i requests', async (maxTimeDiffSeconds, cost) => {
  await startCluster(maxTimeDiffSeconds);
  await passMinute();
  const { foreground: before } = { ...cluster.instances[0]!.center.traffic };

  await passMinute();

  expect(cluster.instances[0]!.center.traffic.foreground - before).toBe(cost);
});

async function startCluster(maxTimeDiffSeconds: number): Promise<void> {
  const job = { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 2, maxTimeDiffSeconds, handler: () => {} };
  cluster = await createTestCluster({ instances: 1, latencyMs: 10, jobs: [job] });
  operator = await operatorOf(cluster);
}

/** Sets the instance's clock to differ from the registry's. */
async function stepClock(ms: number): Promise<void> {
  cluster.setWall(0, cluster.clock.wallNow() + ms);
  await cluster.advance(0);
}

async function reshard(): Promise<void> {
  await operator.create(`/${JOB}/leader/sharding/necessary`, '', 'PERSISTENT');
  await cluster.advance(1_000);
}

/** Moves well past the next full minute, by the instance's clock as well. */
function passMinute(): Promise<void> {
  return cluster.advance(MINUTE - (cluster.clock.wallNow() % MINUTE) + 10_000);
}
