import { describe, expect, it } from 'vitest';
import type { ShardingContext } from '../../libs/elastic-job/src/domain/index.js';
import { createTestCluster, type TestCluster, VirtualClock } from '../../libs/elastic-job/src/testing/index.js';
import { allNodes, operatorOf, traces } from './support/registry-walk.js';
import { endsWith, expectGrowingTokens, expectNoOverlap, expectOncePerTarget, range } from './support/run-checks.js';

const JOB = 'settle-orders';
const TOTAL = 5;

describe('a job that fires every second', () => {
  it('runs no target twice and owes none after 1,000 seconds with crashes', async () => {
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
    // Only fire times that a dead instance owned are late, and for no longer than its session lasts.
    const fireTimes = new Set(runs.filter(({ item }) => item === 0).map(({ fireTime }) => fireTime));
    expect(fireTimes.size).toBeGreaterThan(1_000 - 5 * 15);
    await cluster.stop();
  });
});

describe('starts, stops and expiries at random', () => {
  it.each([1, 2, 3])('leave nothing open or behind once all instances have stopped (seed %i)', async (seed) => {
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
  });
});

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

function firstLiving(cluster: TestCluster, deaths: ReadonlyMap<number, number>): number {
  return cluster.instances.findIndex((_, index) => !deaths.has(index));
}

/** A number from 0 to below `count`. */
function pick(chance: VirtualClock, count: number): number {
  return Math.floor(chance.random() * count);
}
