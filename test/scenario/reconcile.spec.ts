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

describe('what no event has told of', () => {
  it('fault 3: given an instance without items, when the leader looks, then it has its share', async () => {
    await startCluster();
    const owners = cluster.assignment(JOB);
    const [first] = cluster.instances[0]!.instanceIds;
    for (const item of owners.keys()) await give(item, first!);

    await cluster.advance(6 * MINUTE);

    expect(cluster.assignment(JOB)).toEqual(owners);
  });

  it('fault 8: given marks of instances that are gone, when the leader looks, then they are gone as well', async () => {
    await startCluster();
    await operator.create(`/${JOB}/sharding/1/running`, NOBODY, 'PERSISTENT');
    await operator.create(`/${JOB}/sharding/2/failovering`, NOBODY, 'PERSISTENT');

    await cluster.advance(6 * MINUTE);

    expect(await operator.exists(`/${JOB}/sharding/1/running`)).toBeUndefined();
    expect(await operator.exists(`/${JOB}/sharding/2/failovering`)).toBeUndefined();
  });

  it('given static sharding, when the leader looks, then owners stay and marks of nobody go', async () => {
    await startCluster({ staticSharding: true });
    await give(0, NOBODY);
    await operator.create(`/${JOB}/sharding/1/running`, NOBODY, 'PERSISTENT');

    await cluster.advance(6 * MINUTE);

    expect(cluster.assignment(JOB).get(0)).toBe(-1);
    expect(await operator.exists(`/${JOB}/sharding/1/running`)).toBeUndefined();
  });

  it('given an instance that left, when its server is forgotten, then nobody is given another item for that', async () => {
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

  it('given an interval of 0, when time passes, then nobody looks', async () => {
    await startCluster({ reconcileIntervalMinutes: 0 });
    const before = countRequests();

    await cluster.advance(60 * MINUTE);

    expect(countRequests()).toBe(before);
  });

  it('given an interval that is changed, when it has passed, then the leader looks', async () => {
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

/** Writes an item's owner past everybody: no event tells of it. */
async function give(item: number, instanceId: string): Promise<void> {
  await operator.set(`/${JOB}/sharding/${item}/instance`, instanceId);
}

function countRequests(): number {
  return cluster.instances.reduce((sum, { center }) => sum + center.traffic.foreground, 0);
}

function countPlans(): number {
  return cluster.instances.flatMap(({ events }) => events).filter(({ kind }) => kind === 'resharded').length;
}
