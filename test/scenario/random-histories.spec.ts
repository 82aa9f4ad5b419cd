import { describe, expect, it } from 'vitest';
import type { ShardingContext } from '../../libs/elastic-job/src/domain/index.js';
import {
  createTestCluster,
  type TestCluster,
  type TestRun,
  VirtualClock,
} from '../../libs/elastic-job/src/testing/index.js';
import { allNodes, operatorOf, traces } from './support/registry-walk.js';
import {
  endsWith,
  expectGrowingTokens,
  expectNoOverlap,
  expectOncePerTarget,
  itemsOf,
  range,
} from './support/run-checks.js';

const JOB = 'settle-orders';
const SEEDS = 200;
const TOTAL = 5;
/** Long enough for every session to end, every plan to be made and every item to have its turn. */
const QUIET_MS = 60_000;

describe('random histories of crashes, partitions, joins, leaves and shutdowns', () => {
  it(`given ${SEEDS} seeds, when the faults are over, then nothing overlapped, tokens only grew, and every item runs again`, async () => {
    const sources: Record<string, number> = { NORMAL_TRIGGER: 0, MISFIRE: 0, FAILOVER: 0 };
    for (let seed = 1; seed <= SEEDS; seed++) {
      try {
        for (const { source } of await runHistory(seed)) sources[source]! += 1;
      } catch (error) {
        throw new Error(`The history of seed ${seed} breaks a promise.`, { cause: error });
      }
    }
    // Else the histories would not show what they are for.
    for (const count of Object.values(sources)) expect(count).toBeGreaterThan(SEEDS / 2);
  }, 60_000);
});

describe('a job that fires every second', () => {
  it('given crashes in between, when 1,000 seconds have passed, then no target ran twice and none is owed', async () => {
    const cluster = await startCluster(7, { cron: '* * * * * ?', handler: () => cluster.clock.sleep(300) });
    const deaths = new Map<number, number>();
    for (const round of range(10)) {
      await cluster.advance(90_300 + round * 137);
      if (round % 2 === 0) crash(cluster, deaths, firstLiving(cluster, deaths));
      await cluster.join();
      await cluster.advance(8_000);
    }
    await cluster.advance(30_000);

    const runs = cluster.runs(JOB);
    expectOncePerTarget(runs);
    expectNoOverlap(runs, endsWith(deaths));
    const due = Math.floor(cluster.clock.wallNow() / 1_000) * 1_000;
    for (const item of range(TOTAL)) {
      const last = runs.findLast((run) => run.item === item)!;
      expect(due - last.fireTime).toBeLessThanOrEqual(1_000);
    }
    // Only what a dead instance owned is ever late, and for no longer than its session lasts.
    const fireTimes = new Set(runs.filter(({ item }) => item === 0).map(({ fireTime }) => fireTime));
    expect(fireTimes.size).toBeGreaterThan(1_000 - 5 * 15);
    await cluster.stop();
  });
});

describe('starts, stops and expiries at random', () => {
  it.each([1, 2, 3])(
    'given seed %i, when all instances have stopped, then nothing is left open or behind',
    async (seed) => {
      const chance = new VirtualClock({ seed });
      const cluster = await startCluster(seed, {
        instances: 0,
        handler: () => cluster.clock.sleep(pick(chance, 4_000)),
      });
      for (let step = 0; step < 120; step++) {
        const running = cluster.instances.filter(({ runtime }) => runtime.status().phase === 'running');
        const chosen = running[pick(chance, running.length)];
        switch (chosen === undefined || running.length < 2 ? 0 : pick(chance, 3)) {
          case 0:
            await cluster.join();
            break;
          case 1:
            void chosen!.runtime.stop();
            break;
          default:
            if (chosen!.center.session.id !== undefined) cluster.registry.expire(chosen!.center.session.id);
        }
        await cluster.advance(pick(chance, 1_500));
      }

      await cluster.stop();

      expect(cluster.clock.pendingTimers).toBe(0);
      const operator = await operatorOf(cluster);
      expect(await traces(operator, JOB)).toEqual([]);
      expect(await allNodes(operator, `/${JOB}/instances`)).toHaveLength(1);
      expectOncePerTarget(cluster.runs(JOB));
      expectGrowingTokens(cluster.runs(JOB));
    },
  );
});

async function runHistory(seed: number): Promise<readonly TestRun[]> {
  const chance = new VirtualClock({ seed });
  const handler = ({ signal }: ShardingContext) => sleepUnlessAborted(cluster, pick(chance, 6_000), signal);
  const cluster = await startCluster(seed, { instances: 3, handler });
  const deaths = new Map<number, number>();
  const cutOff = new Set<number>();
  for (let step = 0; step < 8; step++) await disturb(cluster, chance, deaths, cutOff);
  for (const instance of cutOff) await cluster.heal(instance);
  if (deaths.size === cluster.instances.length) await cluster.join();
  await cluster.advance(QUIET_MS);

  const quietSince = cluster.clock.wallNow();
  await cluster.advance(20_000);

  const runs = cluster.runs(JOB);
  expectNoOverlap(runs, endsWith(deaths));
  expectGrowingTokens(runs);
  expectOncePerTarget(runs);
  expect([...cluster.assignment(JOB).keys()]).toEqual(range(TOTAL));
  for (const owner of cluster.assignment(JOB).values()) expect(deaths.has(owner)).toBe(false);
  expect([...new Set(itemsOf(runs.filter(({ startedAt }) => startedAt > quietSince)))]).toEqual(range(TOTAL));
  await cluster.stop();
  return runs;
}

async function disturb(
  cluster: TestCluster,
  chance: VirtualClock,
  deaths: Map<number, number>,
  cutOff: Set<number>,
): Promise<void> {
  const living = cluster.instances.flatMap((_, index) => (deaths.has(index) ? [] : [index]));
  const chosen = living[pick(chance, living.length)];
  const mayGo = living.length > 1;
  switch (chosen === undefined ? 3 : pick(chance, 7)) {
    case 0:
      if (mayGo) crash(cluster, deaths, chosen!);
      break;
    case 1:
      if (!cutOff.has(chosen!)) cluster.partition(chosen!);
      cutOff.add(chosen!);
      break;
    case 2:
      if (cutOff.delete(chosen!)) await cluster.heal(chosen!);
      break;
    case 3:
      await cluster.join();
      break;
    case 4:
      if (!mayGo || cutOff.has(chosen!)) break;
      await cluster.leave(chosen!);
      deaths.set(chosen!, cluster.clock.wallNow());
      break;
    case 5:
      // Who is cut off hears of it too late to put away what it runs.
      if (!mayGo || cutOff.has(chosen!)) break;
      await shutDown(cluster, chosen!);
      deaths.set(chosen!, cluster.clock.wallNow());
      break;
    default:
  }
  await cluster.advance(pick(chance, 9_000));
}

interface Options {
  readonly handler: (context: ShardingContext) => unknown;
  readonly cron?: string;
  readonly instances?: number;
}

function startCluster(seed: number, { handler, cron = '0/5 * * * * ?', instances = 3 }: Options): Promise<TestCluster> {
  const job = { name: JOB, cron, shardingTotalCount: TOTAL, failover: true, handler };
  return createTestCluster({ instances, seed, latencyMs: 3, drainTimeoutMs: 3_000, jobs: [job] });
}

function crash(cluster: TestCluster, deaths: Map<number, number>, instance: number): void {
  cluster.crash(instance);
  deaths.set(instance, cluster.clock.wallNow());
}

/** An operator removes the instance from the job; its process lives on. */
async function shutDown(cluster: TestCluster, instance: number): Promise<void> {
  const operator = await operatorOf(cluster);
  const instanceId = [...cluster.instances[instance]!.instanceIds].at(-1);
  await operator.delete(`/${JOB}/instances/${instanceId}`);
  await operator.close();
}

function firstLiving(cluster: TestCluster, deaths: ReadonlyMap<number, number>): number {
  return cluster.instances.findIndex((_, index) => !deaths.has(index));
}

/** A number from 0 to below `count`. */
function pick(chance: VirtualClock, count: number): number {
  return Math.floor(chance.random() * count);
}

async function sleepUnlessAborted(cluster: TestCluster, ms: number, signal: AbortSignal): Promise<void> {
  await cluster.clock.sleep(ms, signal).catch(() => {});
}
