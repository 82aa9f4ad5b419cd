import { afterEach, describe, expect, it } from 'vitest';
import type { MisfirePolicy, ShardingContext } from '../../libs/elastic-job/src/domain/index.js';
import { JobOperateApi } from '../../libs/elastic-job/src/operations/index.js';
import type { RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import { operatorOf } from './support/registry-walk.js';
import { range } from './support/run-checks.js';

const JOB = 'settle-orders';
const MINUTE = 60_000;
const ITEMS = [0, 1];
const LATENCY_MS = 2;
/** Milliseconds from each fire time to the cancel of what runs: all steps of a cancel and of a trigger. */
const OFFSETS = range(41).map((ms) => ms - 30);

type Ending = (context: ShardingContext) => Promise<unknown>;

const atOnce: Ending = ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve));
const later =
  (ms: number): Ending =>
  (context) =>
    atOnce(context).then(() => cluster.clock.sleep(ms));
const byThemselves: Ending = (context) =>
  Promise.race([atOnce(context), cluster.clock.sleep(context.fireTime.getTime() + MINUTE - cluster.clock.wallNow())]);

let cluster: TestCluster;
let operator: RegistryCenter;
let contexts: ShardingContext[];
/** Items and fire times of the runs that a cancel has named. */
let named: Set<string>;
afterEach(() => cluster.stop());

describe.each([
  ['at once', atOnce],
  ['3 ms later', later(3)],
  ['20 ms later', later(20)],
  ['by themselves at that fire time', byThemselves],
])('runs that are cancelled around the next fire time and end %s', (_, ending) => {
  it.each(['once', 'all'] as const)('leave it to one run of each item, by the policy %s', async (policy) => {
    const first = await startRunning(policy, ending);

    await cancelAroundFireTimes(first);

    for (const item of ITEMS) expect(fireTimesOf(item)).toEqual(minutesFrom(first, OFFSETS.length + 1));
    expect(missedOf(0)).toEqual([]);
    expect(abortedUnnamed()).toEqual([]);
  });

  it('leave it to one run of each item, or to an event that tells it as missed, by the policy skip', async () => {
    const first = await startRunning('skip', ending);

    await cancelAroundFireTimes(first);

    for (const item of ITEMS) {
      const known = [...fireTimesOf(item), ...missedOf(item)].toSorted((a, b) => a - b);
      expect(known).toEqual(minutesFrom(first, known.length));
      expect(known.length).toBeGreaterThanOrEqual(OFFSETS.length);
    }
    expect(missedOf(0).length).toBeGreaterThan(0);
    expect(abortedUnnamed()).toEqual([]);
  });
});

/** @returns the fire time of the first runs */
async function startRunning(misfirePolicy: MisfirePolicy, ending: Ending): Promise<number> {
  [contexts, named] = [[], new Set()];
  const handler = async (context: ShardingContext) => {
    contexts.push(context);
    await ending(context);
  };
  const job = { name: JOB, cron: '0 * * * * ?', shardingTotalCount: ITEMS.length, misfirePolicy, handler };
  cluster = await createTestCluster({ instances: 1, latencyMs: LATENCY_MS, drainTimeoutMs: 1_000, jobs: [job] });
  operator = await operatorOf(cluster);
  await cluster.advance(MINUTE - (cluster.clock.wallNow() % MINUTE) + MINUTE / 2);
  return contexts[0]!.fireTime.getTime();
}

/** Cancels what runs, once for each offset from a fire time. */
async function cancelAroundFireTimes(first: number): Promise<void> {
  for (const [index, offset] of OFFSETS.entries()) {
    const fireTime = first + (index + 1) * MINUTE;
    await cluster.advance(fireTime + offset - cluster.clock.wallNow());
    const outcomes = await new JobOperateApi(operator, cluster.clock).cancelAll(JOB);
    for (const { item, kind } of outcomes) if (kind === 'requested') named.add(await runOf(item));
    await cluster.advance(fireTime + MINUTE / 2 - cluster.clock.wallNow());
  }
}

async function runOf(item: number): Promise<string> {
  const { target } = JSON.parse((await operator.read(`/${JOB}/sharding/${item}/record`))!.data);
  return `${item} ${target.fireTime}`;
}

function abortedUnnamed(): ShardingContext[] {
  return contexts.filter(
    ({ fireTime, shardingItem, signal }) => signal.aborted && !named.has(`${shardingItem} ${fireTime.getTime()}`),
  );
}

function minutesFrom(first: number, count: number): number[] {
  return range(count).map((index) => first + index * MINUTE);
}

function fireTimesOf(item: number): number[] {
  return contexts.flatMap(({ fireTime, shardingItem }) => (shardingItem === item ? fireTime.getTime() : []));
}

function missedOf(item: number): number[] {
  return cluster
    .events(0)
    .flatMap((event) =>
      event.kind === 'missed' && event.items.includes(item) ? minutesFrom(event.since, event.count) : [],
    );
}
