import { afterEach, expect, it } from 'vitest';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import { operatorOf } from './support/registry-walk.js';

const JOB = 'settle-orders';
const MINUTE = 60_000;

let cluster: TestCluster;
afterEach(() => cluster.stop());

it('runs an item that moves to its new owner while that one begins the fire time', async () => {
  const job = { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 2, handler: () => {} };
  cluster = await createTestCluster({ instances: 2, latencyMs: 100, jobs: [job] });
  await untilMinute(1_000);
  const leader = cluster.instances.findIndex(({ runtime }) => runtime.leader.isLeader(JOB));
  const operator = await operatorOf(cluster);
  const [own, moved] = [itemOf(leader), itemOf(1 - leader)];
  await untilMinute(-1_000);
  cluster.crash(1 - leader);
  const before = cluster.runs(JOB).length;

  await untilMinute(105); // The begin of the leader's own item is under way.
  const [gone] = cluster.instances[1 - leader]!.instanceIds;
  await operator.delete(`/${JOB}/instances/${gone}`);
  // That begin is refused and tried again until the other item has moved.
  for (let round = 0; round < 20; round++) {
    const { data } = (await operator.read(`/${JOB}/sharding/${own}/record`))!;
    await operator.set(`/${JOB}/sharding/${own}/record`, data);
    await cluster.advance(50);
  }
  expect(itemOf(1 - leader)).toBeUndefined();
  expect(cluster.runs(JOB)).toHaveLength(before);
  await cluster.advance(2_000);

  const fired = cluster.runs(JOB).slice(before);
  expect(fired.map(({ item, source }) => [item, source])).toEqual([
    [own, 'NORMAL_TRIGGER'],
    [moved, 'MISFIRE'],
  ]);
});

function itemOf(instance: number): number | undefined {
  return [...cluster.assignment(JOB)].find(([, owner]) => owner === instance)?.[0];
}

/** Moves to `offset` milliseconds from the next full minute. */
function untilMinute(offset: number): Promise<void> {
  return cluster.advance(MINUTE - (cluster.clock.wallNow() % MINUTE) + offset);
}
