import { expect, it } from 'vitest';
import type { MisfirePolicy, ShardingContext, Span } from '../../libs/elastic-job/src/domain/index.js';
import {
  createTestCluster,
  type TestCluster,
  type TestRun,
  VirtualClock,
} from '../../libs/elastic-job/src/testing/index.js';
import { operatorOf } from './support/registry-walk.js';
import { expectNoOverlap, expectOncePerTarget, range } from './support/run-checks.js';

const JOB = 'settle-orders';
/** `npm run simulate -- --seeds 2000` draws more histories, and asks its misfire oracle about each. */
const SEEDS = 8;
const TOTAL = 4;
const INTERVAL = 10_000;

it.each<MisfirePolicy>(['skip', 'once', 'all'])(
  `with policy %s, each due fire time is begun or reported as missed, once (${SEEDS} seeds of faults)`,
  async (misfirePolicy) => {
    let [made, missed] = [0, 0];
    for (let seed = 1; seed <= SEEDS; seed++) {
      try {
        const history = await runHistory(misfirePolicy, seed);
        made += history.made;
        missed += history.missed;
      } catch (error) {
        throw new Error(`The history of seed ${seed} breaks a promise.`, { cause: error });
      }
    }
    // Otherwise the histories would not exercise the policy.
    expect(made > SEEDS).toBe(misfirePolicy !== 'skip');
    expect(missed > SEEDS).toBe(misfirePolicy !== 'all');
  },
  60_000,
);

it.each<MisfirePolicy>(['skip', 'once', 'all'])(
  `with policy %s, only fire times of a disabled item are neither run nor missed (${SEEDS} seeds)`,
  async (misfirePolicy) => {
    let excluded = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      try {
        excluded += await runSwitches(misfirePolicy, seed);
      } catch (error) {
        throw new Error(`The history of seed ${seed} breaks a promise.`, { cause: error });
      }
    }
    expect(excluded).toBeGreaterThan(SEEDS);
  },
  60_000,
);

/** @returns the number of stretches that were excluded */
async function runSwitches(misfirePolicy: MisfirePolicy, seed: number): Promise<number> {
  const chance = new VirtualClock({ seed });
  const pick = (below: number) => Math.floor(chance.random() * below);
  const handler = () => cluster.clock.sleep(pick(INTERVAL / 4));
  const job = { name: JOB, cron: '0/10 * * * * ?', shardingTotalCount: TOTAL, misfirePolicy, handler };
  const cluster = await createTestCluster({ instances: 1, seed, latencyMs: 3, jobs: [job] });
  const operator = await operatorOf(cluster);
  const disabledAt = new Map<number, number>();
  const spans: (Span & { readonly item: number })[] = [];
  // Half an interval after a fire time, so that the order of edit and fire time is clear.
  await cluster.advance(3.5 * INTERVAL - (cluster.clock.wallNow() % INTERVAL));
  for (let step = 0; step < 12; step++) {
    const item = pick(TOTAL);
    const path = `/${JOB}/sharding/${item}/disabled`;
    const after = disabledAt.get(item);
    if (after === undefined) {
      disabledAt.set(item, cluster.clock.wallNow());
      await operator.create(path, '', 'PERSISTENT');
    } else {
      disabledAt.delete(item);
      spans.push({ item, after, until: cluster.clock.wallNow() });
      await operator.delete(path);
    }
    await cluster.advance(1_000);
    if (pick(4) === 0) await cluster.join();
    await cluster.advance((1 + pick(3)) * INTERVAL + INTERVAL / 2 - (cluster.clock.wallNow() % INTERVAL));
  }
  for (const item of disabledAt.keys()) await operator.delete(`/${JOB}/sharding/${item}/disabled`);
  for (const [item, after] of disabledAt) spans.push({ item, after, until: cluster.clock.wallNow() });
  await cluster.advance(3 * INTERVAL);

  expectOrder(cluster.runs(JOB));
  const isExcluded = (item: number, time: number) =>
    spans.some((span) => span.item === item && span.after < time && time <= span.until);
  tellEach(cluster, isExcluded);
  await cluster.stop();
  return spans.length;
}

async function runHistory(misfirePolicy: MisfirePolicy, seed: number) {
  const chance = new VirtualClock({ seed: seed * 7 + 1 });
  const pick = (below: number) => Math.floor(chance.random() * below);
  let isQuiet = false;
  const durationMs = () => (!isQuiet && pick(12) === 0 ? pick(4 * INTERVAL) : pick(INTERVAL / 4));
  const handler = ({ signal }: ShardingContext) => cluster.clock.sleep(durationMs(), signal).catch(() => {});
  const job = { name: JOB, cron: '0/10 * * * * ?', shardingTotalCount: TOTAL, failover: true, misfirePolicy, handler };
  const cluster = await createTestCluster({ instances: 2, seed, latencyMs: 3, jobs: [job] });
  const deaths = new Map<number, number>();
  // An instance that never began anything leaves no record, so it is not known what it owes.
  await cluster.advance(3 * INTERVAL);
  for (let step = 0; step < 6; step++) {
    await disturb(cluster, deaths, pick);
    await cluster.advance(pick(4 * INTERVAL));
  }
  for (const index of cluster.instances.keys()) if (!deaths.has(index)) await cluster.heal(index);
  await cluster.join();
  isQuiet = true;
  await cluster.advance(40 * INTERVAL);

  const runs = cluster.runs(JOB);
  expectOncePerTarget(runs);
  expectOrder(runs);
  expectNoOverlap(runs, ({ instance, endedAt }) => endedAt ?? deaths.get(instance) ?? Infinity);
  const missed = tellEach(cluster);
  await cluster.stop();
  return { made: runs.filter(({ source }) => source === 'MISFIRE').length, missed };
}

async function disturb(cluster: TestCluster, deaths: Map<number, number>, pick: (below: number) => number) {
  const living = [...cluster.instances.keys()].filter((index) => !deaths.has(index));
  const kill = (index: number) => {
    cluster.crash(index);
    deaths.set(index, cluster.clock.wallNow());
  };
  const chosen = living[pick(living.length)];
  switch (chosen === undefined ? 0 : pick(5)) {
    case 0:
      return void (await cluster.join());
    case 1:
      return kill(chosen!);
    case 2:
      for (const index of living) kill(index);
      return;
    case 3:
      return cluster.partition(chosen!);
    default:
      for (const index of living) await cluster.heal(index);
  }
}

/** No later fire time of an item is begun before an earlier one. */
function expectOrder(runs: readonly TestRun[]): void {
  for (const item of range(TOTAL)) {
    const own = runs.filter((run) => run.item === item && run.source !== 'FAILOVER');
    const fireTimes = own.map(({ fireTime }) => fireTime);
    expect(fireTimes).toEqual(fireTimes.toSorted((a, b) => a - b));
  }
}

/**
 * Every fire time between an item's first and last begin is run or missed, once, unless it is excluded.
 * @returns the number of missed ones
 */
function tellEach(cluster: TestCluster, isExcluded = (_item: number, _fireTime: number) => false): number {
  const events = cluster.instances.flatMap((_, index) => cluster.events(index));
  const begun = events.filter((event) => event.kind === 'begun').filter(({ trigger }) => trigger.source !== 'FAILOVER');
  const missed = events.filter((event) => event.kind === 'missed');
  const runs = cluster.runs(JOB);
  for (const item of range(TOTAL)) {
    const own = new Set(runs.filter((run) => run.item === item).map(({ fireTime }) => fireTime));
    const ran = begun.filter(({ items }) => items.includes(item)).map(({ trigger }) => trigger.fireTime);
    expect(new Set(ran).size).toBe(ran.length);
    for (const fireTime of ran) own.add(fireTime);
    const last = Math.max(...own);
    expect(cluster.clock.wallNow() - last).toBeLessThanOrEqual(2 * INTERVAL);
    for (let time = Math.min(...own); time <= last; time += INTERVAL) {
      const told = missed.filter(
        ({ items, since, fireTime }) => items.includes(item) && since <= time && time <= fireTime,
      );
      expect(told.length + Number(own.has(time)), `fates of item ${item} for ${new Date(time).toISOString()}`).toBe(
        isExcluded(item, time) ? 0 : 1,
      );
    }
  }
  return missed.length;
}
