import { afterEach, describe, expect, it } from 'vitest';
import { createTestCluster, type TestCluster, type TestRun } from '@app/elastic-job/testing';

const EVERY_FIVE_SECONDS = '0/5 * * * * ?';
const JOB = 'settle-orders';

let cluster: TestCluster;
afterEach(() => cluster.stop());

describe('a sharded job over three instances', () => {
  it('runs every item once, each on its owner', async () => {
    cluster = await createTestCluster({ instances: 3, jobs: [job({ shardingTotalCount: 10 })] });

    await cluster.advance(5_000);

    const fired = runsOf(cluster.runs(JOB)[0]!.fireTime);
    expect(fired.map(({ item }) => item).toSorted((a, b) => a - b)).toEqual([...Array(10).keys()]);
    expect(new Map(fired.map(({ item, instance }) => [item, instance]))).toEqual(new Map(cluster.assignment(JOB)));
    expect(new Set(fired.map(({ instance }) => instance))).toEqual(new Set([0, 1, 2]));
  });

  it('needs few plans for ten instances that start together', async () => {
    cluster = await createTestCluster({ instances: 10, jobs: [job({ shardingTotalCount: 20 })] });

    const plans = cluster.instances.flatMap(({ events }) => events.filter(({ kind }) => kind === 'resharded'));
    expect(new Set(cluster.assignment(JOB).values()).size).toBe(10);
    expect(plans.length).toBeLessThan(10);
  });

  it('spreads all items over the live instances when a session ends', async () => {
    cluster = await createTestCluster({ instances: 3, jobs: [job({ shardingTotalCount: 7 })] });

    cluster.crash(1);
    await cluster.advance(15_000);

    expect([...cluster.assignment(JOB).keys()]).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(new Set(cluster.assignment(JOB).values())).toEqual(new Set([0, 2]));
  });

  it('includes an instance that joins late at the next trigger', async () => {
    cluster = await createTestCluster({ instances: 2, jobs: [job({ shardingTotalCount: 4 })] });
    await cluster.advance(5_000);

    const late = await cluster.join();
    await cluster.advance(6_000);

    expect([...cluster.assignment(JOB).values()]).toContain(late);
    expect(cluster.runs(JOB).some(({ instance }) => instance === late)).toBe(true);
  });

  it('loses no fire time when an instance leaves, and nothing of it is left', async () => {
    cluster = await createTestCluster({ instances: 2, jobs: [job({ shardingTotalCount: 4 })] });
    await cluster.advance(5_000);

    await cluster.leave(0);
    await cluster.advance(30_000);

    expectEveryFireTimeOnce(4);
    expect(new Set(cluster.assignment(JOB).values())).toEqual(new Set([1]));
  });

  it('catches up on the items of a leader that dies before a fire time is over', async () => {
    cluster = await createTestCluster({ instances: 3, jobs: [job({ shardingTotalCount: 6, cron: '0 * * * * ?' })] });
    await cluster.advance(untilNextMinute() + 1_000);
    await cluster.advance(untilNextMinute() - 500);

    cluster.crash(0);
    await cluster.advance(30_000);

    expectEveryFireTimeOnce(6);
    expect(cluster.runs(JOB).some(({ source }) => source === 'MISFIRE')).toBe(true);
  });
});

describe('failover', () => {
  it('repeats only the item that still ran when the instance crashed', async () => {
    cluster = await createTestCluster({
      instances: 1,
      jobs: [job({ shardingTotalCount: 2, failover: true, cron: '0 * * * * ?', handler: sleepFor(10, 8_000) })],
    });
    await cluster.advance(untilNextMinute() + 1_000);
    const survivor = await cluster.join();

    cluster.crash(0);
    await cluster.advance(30_000);

    const failovers = cluster.runs(JOB).filter(({ source }) => source === 'FAILOVER');
    expect(failovers).toMatchObject([{ item: 1, instance: survivor, fireTime: cluster.runs(JOB)[0]!.fireTime }]);
    expect(failovers[0]!.token).toBeGreaterThan(cluster.runs(JOB).find(({ item }) => item === 1)!.token!);
  });

  it('runs many orphans before the next trigger, spread over the others', async () => {
    cluster = await createTestCluster({
      instances: 4,
      jobs: [job({ shardingTotalCount: 40, failover: true, cron: '0 * * * * ?', handler: () => sleep(20_000) })],
    });
    await cluster.advance(untilNextMinute() + 1_000);

    cluster.crash(2);
    await cluster.advance(40_000);

    const failovers = cluster.runs(JOB).filter(({ source }) => source === 'FAILOVER');
    expect(failovers.map(({ item }) => item).toSorted((a, b) => a - b)).toEqual(
      itemsOf(cluster.runs(JOB).filter(({ instance }) => instance === 2)),
    );
    expect(new Set(failovers.map(({ instance }) => instance)).size).toBe(3);
  });

  it('runs an item on a third instance if its rescuer dies as well', async () => {
    cluster = await createTestCluster({
      instances: 3,
      jobs: [job({ shardingTotalCount: 1, failover: true, cron: '0 * * * * ?', handler: () => sleep(30_000) })],
    });
    await cluster.advance(untilNextMinute() + 1_000);
    const first = cluster.runs(JOB)[0]!.instance;
    cluster.crash(first);
    await cluster.advance(14_000);
    const second = cluster.runs(JOB)[1]!;
    expect(second.source).toBe('FAILOVER');

    cluster.crash(second.instance);
    await cluster.advance(45_000);

    const third = cluster.runs(JOB)[2]!;
    expect(third).toMatchObject({ source: 'FAILOVER', fireTime: second.fireTime });
    expect(third.endedAt).toBeDefined();
    expect(new Set([first, second.instance, third.instance]).size).toBe(3);
  });
});

describe('overlap and misfire', () => {
  it('catches up once on the fire time that an item outlasts, and nothing overlaps', async () => {
    const handler = sleepFor(12_000, 100);
    cluster = await createTestCluster({ instances: 2, jobs: [job({ shardingTotalCount: 2, handler })] });

    await cluster.advance(60_000);

    expectNoOverlap();
    expect(cluster.runs(JOB).some(({ item, source }) => item === 0 && source === 'MISFIRE')).toBe(true);
    expect(
      cluster
        .runs(JOB)
        .filter(({ item }) => item === 1)
        .every(({ source }) => source === 'NORMAL_TRIGGER'),
    ).toBe(true);
  });

  it('keeps the siblings of a hung item running', async () => {
    cluster = await createTestCluster({ instances: 1, jobs: [job({ shardingTotalCount: 3, handler: hangAtItem0 })] });

    await cluster.advance(20_000);

    expect(cluster.runs(JOB).filter(({ item }) => item === 0)).toHaveLength(1);
    expect(cluster.runs(JOB).filter(({ item }) => item === 2).length).toBeGreaterThanOrEqual(4);
  });

  it('overlaps no runs of an item among crashes, partitions and joins under load', async () => {
    cluster = await createTestCluster({
      instances: 4,
      jobs: [job({ shardingTotalCount: 9, failover: true, handler: () => sleep(3_000) })],
    });
    await cluster.advance(7_000);
    cluster.crash(3);
    await cluster.advance(4_000);
    cluster.partition(1);
    await cluster.advance(30_000);
    await cluster.heal(1);
    await cluster.join();
    await cluster.advance(40_000);

    expectNoOverlap();
    expect([...cluster.assignment(JOB).keys()]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });
});

describe('a partition', () => {
  it('tells handlers that the session is lost, and the instance comes back under a new id', async () => {
    const aborted: number[] = [];
    cluster = await createTestCluster({
      instances: 2,
      jobs: [
        job({
          shardingTotalCount: 2,
          cron: '0 * * * * ?',
          handler: ({ shardingItem, signal }: { shardingItem: number; signal: AbortSignal }) =>
            new Promise<void>((resolve) => {
              signal.addEventListener('abort', () => (aborted.push(shardingItem), resolve()));
            }),
        }),
      ],
    });
    await cluster.advance(untilNextMinute() + 1_000);

    cluster.partition(0);
    await cluster.advance(15_000);
    expect(aborted).toHaveLength(1);
    await cluster.heal(0);
    await cluster.advance(2_000);

    expect(cluster.instances[0]!.instanceIds.size).toBe(2);
    expect(new Set(cluster.assignment(JOB).values())).toEqual(new Set([0, 1]));
  });

  it('moves nothing if it is short and the session goes on', async () => {
    cluster = await createTestCluster({ instances: 2, jobs: [job({ shardingTotalCount: 4 })] });
    const before = cluster.assignment(JOB);

    cluster.partition(0);
    await cluster.advance(3_000);
    await cluster.heal(0);
    await cluster.advance(10_000);

    expect(cluster.assignment(JOB)).toEqual(before);
    expect(cluster.instances[0]!.instanceIds.size).toBe(1);
    expectNoOverlap();
  });
});

function job(options: object) {
  return { name: JOB, cron: EVERY_FIVE_SECONDS, shardingTotalCount: 1, handler: () => {}, ...options };
}

function hangAtItem0({ shardingItem }: { shardingItem: number }): unknown {
  return shardingItem === 0 && new Promise(() => {});
}

/** A handler that takes one time for item 0, and another for the others. */
function sleepFor(firstMs: number, otherMs: number) {
  return ({ shardingItem }: { shardingItem: number }) => sleep(shardingItem === 0 ? firstMs : otherMs);
}

function sleep(ms: number): Promise<void> {
  return cluster.clock.sleep(ms);
}

function untilNextMinute(): number {
  return 60_000 - (cluster.clock.wallNow() % 60_000);
}

function runsOf(fireTime: number): TestRun[] {
  return cluster.runs(JOB).filter((run) => run.fireTime === fireTime);
}

function itemsOf(runs: readonly TestRun[]): number[] {
  return runs.map(({ item }) => item).toSorted((a, b) => a - b);
}

function expectEveryFireTimeOnce(total: number): void {
  const fireTimes = [...new Set(cluster.runs(JOB).map(({ fireTime }) => fireTime))];
  expect(fireTimes.length).toBeGreaterThan(0);
  for (const fireTime of fireTimes) expect(itemsOf(runsOf(fireTime))).toEqual([...Array(total).keys()]);
}

// A run that crashed ends when its instance dies, since the clock of that instance never reports it.
function expectNoOverlap(): void {
  for (const runs of groupByItem().values()) {
    for (const [index, run] of runs.entries()) {
      const next = runs[index + 1];
      if (next === undefined || run.endedAt === undefined) continue;
      expect(next.startedAt).toBeGreaterThanOrEqual(run.endedAt);
    }
  }
}

function groupByItem(): Map<number, TestRun[]> {
  const byItem = new Map<number, TestRun[]>();
  for (const run of cluster.runs(JOB)) byItem.set(run.item, [...(byItem.get(run.item) ?? []), run]);
  return byItem;
}
