import { afterEach, describe, expect, it } from 'vitest';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import { operatorOf } from './support/registry-walk.js';
import { range } from './support/run-checks.js';

const JOB = 'settle-orders';
const MINUTE = 60_000;

let cluster: TestCluster;
afterEach(() => cluster.stop());

describe('static sharding', () => {
  it('keeps every owner when instances come and go, and no trigger waits for a plan', async () => {
    await startCluster();
    const owners = cluster.assignment(JOB);
    const plans = countPlans();

    const late = await cluster.join();
    await cluster.advance(1_000);
    cluster.crash(1);
    await cluster.advance(11 * MINUTE); // The leader looks every 10 minutes.

    expect(cluster.assignment(JOB)).toEqual(owners);
    expect(countPlans()).toBe(plans);
    expect(await (await operatorOf(cluster)).exists(`/${JOB}/leader/sharding/necessary`)).toBeUndefined();
    expect(cluster.runs(JOB).filter(({ instance }) => instance === late)).toEqual([]);
  });

  it.each([2, 6])('spreads the items over the live instances when the total becomes %i', async (total) => {
    await startCluster();
    cluster.crash(1);
    await cluster.advance(15_000);

    const operator = await operatorOf(cluster);
    const { data } = (await operator.read(`/${JOB}/config`))!;
    await operator.set(`/${JOB}/config`, data.replace(/^shardingTotalCount: .*$/m, `shardingTotalCount: ${total}`));
    await cluster.advance(1_000);

    expect(cluster.assignment(JOB)).toEqual(new Map(range(total).map((item) => [item, 0])));
  });

  it('finishes the running item of a crashed owner on another instance', async () => {
    await startCluster({ handler: () => cluster.clock.sleep(20_000) });
    await cluster.advance(MINUTE - (cluster.clock.wallNow() % MINUTE) + 1_000);

    cluster.crash(1);
    await cluster.advance(45_000);

    const failovers = cluster.runs(JOB).filter(({ source }) => source === 'FAILOVER');
    expect(failovers.map(({ instance }) => instance)).toEqual([0, 0]);
  });

  it('spreads the items anew when an operator asks for it', async () => {
    await startCluster();
    const late = await cluster.join();
    await cluster.advance(1_000);

    await requestResharding();
    await cluster.advance(1_000);

    expect([...cluster.assignment(JOB).values()]).toContain(late);
  });
});

async function startCluster({ handler = () => {} }: { handler?: () => unknown } = {}): Promise<void> {
  cluster = await createTestCluster({
    instances: 1,
    jobs: [{ name: JOB, cron: '0 * * * * ?', shardingTotalCount: 4, staticSharding: true, failover: true, handler }],
  });
  // The first instance alone has assigned all items to itself.
  await cluster.join();
  await requestResharding();
  await cluster.advance(1_000);
  expect(new Set(cluster.assignment(JOB).values())).toEqual(new Set([0, 1]));
}

function countPlans(): number {
  return cluster.instances.flatMap(({ events }) => events).filter(({ kind }) => kind === 'resharded').length;
}

async function requestResharding(): Promise<void> {
  await cluster.clock.advanceUntil(cluster.instances[0]!.runtime.sharding.requestResharding(JOB));
}
