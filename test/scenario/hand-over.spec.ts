import { afterEach, expect, it } from 'vitest';
import {
  createTestCluster,
  type TestCluster,
  type TestJobHandler,
  type TestJobOptions,
  type TestRun,
} from '../../libs/elastic-job/src/testing/index.js';
import { operatorOf } from './support/registry-walk.js';

const JOB = 'settle-orders';
const MINUTE = 60_000;
/** The item that a second instance gets. */
const MOVED = 0;

let cluster: TestCluster;
afterEach(() => cluster.stop());

it('runs an item that moves to its new owner while that one begins the fire time', async () => {
  const job = { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 2, strategy: 'AVG_ALLOCATION', handler: () => {} };
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

it.each<[string, Partial<TestJobOptions>, number[]]>([
  ['the last one', { misfirePolicy: 'once' }, [2]],
  ['each one', { misfirePolicy: 'all' }, [1, 2]],
])('runs what came while a dead instance owned the item once its run here ends: %s', async (_, options, expected) => {
  const job = {
    name: JOB,
    cron: '0 * * * * ?',
    shardingTotalCount: 2,
    strategy: 'AVG_ALLOCATION',
    handler: firstRunTakes(140_000),
    ...options,
  };
  cluster = await createTestCluster({ instances: 1, sessionTimeoutMs: 70_000, jobs: [job] });
  await untilMinute(1_000);
  const first = runsOf(MOVED)[0]!.fireTime;
  await cluster.join();
  await untilMinute(-1_000);
  expect(itemOf(1)).toBe(MOVED);

  cluster.crash(1);
  await cluster.advance(75_000); // Two fire times have come for the dead owner.
  expect(itemOf(1)).toBeUndefined();
  await untilMinute(-5_000);

  const later = runsOf(MOVED).slice(1);
  expect(later.map(({ fireTime, source }) => [(fireTime - first) / MINUTE, source])).toEqual(
    expected.map((count) => [count, 'MISFIRE']),
  );
});

/** The first run of the moved item takes so long, and all others are short. */
function firstRunTakes(ms: number): TestJobHandler {
  return ({ shardingItem }, { clock }) => clock.sleep(shardingItem === MOVED && runsOf(MOVED).length === 1 ? ms : 100);
}

function runsOf(item: number): readonly TestRun[] {
  return cluster.runs(JOB).filter((run) => run.item === item);
}

function itemOf(instance: number): number | undefined {
  return [...cluster.assignment(JOB)].find(([, owner]) => owner === instance)?.[0];
}

/** Moves to `offset` milliseconds from the next full minute. */
function untilMinute(offset: number): Promise<void> {
  return cluster.advance(MINUTE - (cluster.clock.wallNow() % MINUTE) + offset);
}
