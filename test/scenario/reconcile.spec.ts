import { afterEach, describe, expect, it } from 'vitest';
import type { RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import { operatorOf } from './support/registry-walk.js';

const JOB = 'settle-orders';
const NOBODY = '10.0.0.99@-@1-0';
const MINUTE = 60_000;

let cluster: TestCluster;
let operator: RegistryCenter;
afterEach(() => cluster.stop());

describe('the leader, which looks for changes that no event has reported', () => {
  it('gives an instance without items its share (fault 3)', async () => {
    await startCluster();
    const owners = cluster.assignment(JOB);
    const [first] = cluster.instances[0]!.instanceIds;
    for (const item of owners.keys()) await give(item, first!);

    await cluster.advance(6 * MINUTE);

    expect(cluster.assignment(JOB)).toEqual(owners);
  });

  it('removes marks of instances that are gone (fault 8)', async () => {
    await startCluster();
    await operator.create(`/${JOB}/sharding/1/running`, NOBODY, 'PERSISTENT');
    await operator.create(`/${JOB}/sharding/2/failovering`, NOBODY, 'PERSISTENT');

    await cluster.advance(6 * MINUTE);

    expect(await operator.exists(`/${JOB}/sharding/1/running`)).toBeUndefined();
    expect(await operator.exists(`/${JOB}/sharding/2/failovering`)).toBeUndefined();
  });

  it('keeps the owners under static sharding, and removes marks of instances that are gone', async () => {
    await startCluster({ staticSharding: true });
    await give(0, NOBODY);
    await operator.create(`/${JOB}/sharding/1/running`, NOBODY, 'PERSISTENT');

    await cluster.advance(6 * MINUTE);

    expect(cluster.assignment(JOB).get(0)).toBe(-1);
    expect(await operator.exists(`/${JOB}/sharding/1/running`)).toBeUndefined();
  });

  it('moves no item when it forgets the server of an instance that left', async () => {
    await startCluster();
    await cluster.leave(1);
    await cluster.advance(MINUTE);
    const plans = countPlans();

    await cluster.advance(1438 * MINUTE);
    expect(await operator.children(`/${JOB}/servers`)).toContain('10.0.0.2');
    await cluster.advance(7 * MINUTE);

    expect(await operator.children(`/${JOB}/servers`)).toEqual(['10.0.0.1']);
    expect(countPlans()).toBe(plans);
  });

  it('does not look with an interval of 0', async () => {
    await startCluster({ reconcileIntervalMinutes: 0 });
    const before = countRequests();

    await cluster.advance(60 * MINUTE);

    expect(countRequests()).toBe(before);
  });

  it('looks after a changed interval', async () => {
    await startCluster({ reconcileIntervalMinutes: 0 });
    const { data } = (await operator.read(`/${JOB}/config`))!;
    await operator.set(`/${JOB}/config`, data.replace('reconcileIntervalMinutes: 0', 'reconcileIntervalMinutes: 1'));
    await cluster.advance(MINUTE / 2);
    const before = countRequests();

    await cluster.advance(MINUTE);

    expect(countRequests()).toBeGreaterThan(before);
  });
});

async function startCluster(options: { staticSharding?: boolean; reconcileIntervalMinutes?: number } = {}) {
  cluster = await createTestCluster({
    instances: 2,
    jobs: [
      {
        name: JOB,
        cron: '0 0 0 * * ?',
        shardingTotalCount: 4,
        failover: true,
        reconcileIntervalMinutes: 5,
        handler: () => {},
        ...options,
      },
    ],
  });
  operator = await operatorOf(cluster);
}

/** Writes an item's owner directly, so that no event reports it. */
async function give(item: number, instanceId: string): Promise<void> {
  await operator.set(`/${JOB}/sharding/${item}/instance`, instanceId);
}

function countRequests(): number {
  return cluster.instances.reduce((sum, { center }) => sum + center.traffic.foreground, 0);
}

function countPlans(): number {
  return cluster.instances.flatMap(({ events }) => events).filter(({ kind }) => kind === 'resharded').length;
}
