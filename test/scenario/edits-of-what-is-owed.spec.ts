import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import { operatorOf } from './support/registry-walk.js';
import { range } from './support/run-checks.js';

const JOB = 'settle-orders';
const CONFIG = `/${JOB}/config`;
const MINUTE = 60_000;

let cluster: TestCluster;
let operator: RegistryCenter;
/** A fire time at which the owner of items 2 and 3 was dead, and nobody knew yet. */
let owed: number;
beforeEach(async () => {
  cluster = await createTestCluster({
    instances: 2,
    jobs: [{ name: JOB, cron: '0 * * * * ?', shardingTotalCount: 4, handler: () => {} }],
  });
  operator = await operatorOf(cluster);
  await untilNextMinute(MINUTE - 1_000);
  cluster.crash(1);
  await cluster.advance(2_000);
  owed = cluster.clock.wallNow() - 1_000;
});
afterEach(() => cluster.stop());

it.each([
  ['jobParameter', "jobParameter: ''", 'jobParameter: other'],
  ['description', "description: ''", 'description: other'],
  ['failover', 'failover: false', 'failover: true'],
])('an edit of %s takes no fire time from the items of an instance that has died', async (_, part, replacement) => {
  await edit(part, replacement);

  await cluster.advance(40_000);
  expect(itemsRunFor(owed)).toEqual(range(4));
});

it('a config that somebody has deleted comes back, and takes no fire time either', async () => {
  await operator.delete(CONFIG);

  await cluster.advance(40_000);
  expect(itemsRunFor(owed)).toEqual(range(4));
});

it.each([
  ['cron', 'cron: 0 * * * * ?', 'cron: 0 0/2 * * * ?'],
  ['shardingTotalCount', 'shardingTotalCount: 4', 'shardingTotalCount: 5'],
])('nobody owes what came before an edit of %s', async (_, part, replacement) => {
  await edit(part, replacement);

  await cluster.advance(40_000);
  expect(itemsRunFor(owed)).toHaveLength(2);
});

it.each([
  ['cron', 'cron: 0 * * * * ?', 'cron: 0 0 0 1 1 ?'],
  ['shardingTotalCount', 'shardingTotalCount: 4', 'shardingTotalCount: 2'],
])('an instance that was away owes nothing from between an edit of %s and its undoing', async (_, part, other) => {
  await untilNextMinute(10_000);
  cluster.partition(0);
  await cluster.advance(1_000);
  await edit(part, other);
  const from = cluster.clock.wallNow();
  await cluster.advance(5 * MINUTE);
  await edit(other, part);
  const to = cluster.clock.wallNow();
  await cluster.advance(10_000);
  await cluster.heal(0);

  await cluster.advance(2 * MINUTE);
  const fireTimes = cluster.runs(JOB).map(({ fireTime }) => fireTime);
  expect(fireTimes.filter((time) => from < time && time < to)).toEqual([]);
  expect(fireTimes.some((time) => time > to)).toBe(true);
});

async function edit(part: string, replacement: string): Promise<void> {
  const { data } = (await operator.read(CONFIG))!;
  expect(data).toContain(part);
  await operator.set(CONFIG, data.replace(part, replacement));
}

function itemsRunFor(time: number): readonly number[] {
  const runs = cluster.runs(JOB).filter(({ fireTime }) => fireTime === time);
  return runs.map(({ item }) => item).toSorted((a, b) => a - b);
}

/** Moves to `further` milliseconds after the next full minute. */
function untilNextMinute(further: number): Promise<void> {
  return cluster.advance(MINUTE - (cluster.clock.wallNow() % MINUTE) + further);
}
