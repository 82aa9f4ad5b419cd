import { afterEach, describe, expect, it } from 'vitest';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import { operatorOf } from './support/registry-walk.js';
import { range } from './support/run-checks.js';

const JOB = 'settle-orders';

let cluster: TestCluster;
afterEach(() => cluster.stop());

describe('the default strategy', () => {
  it('shares twelve jobs of one item among three instances', async () => {
    const names = range(12).map((number) => `nightly-${number}`);
    cluster = await createTestCluster({
      instances: 3,
      jobs: names.map((name) => ({ name, cron: '0 * * * * ?', shardingTotalCount: 1, handler: () => {} })),
    });
    await cluster.advance(60_000);

    const runs = names.flatMap((name) => cluster.runs(name)).map(({ instance }) => instance);
    expect(runs).toHaveLength(12);
    for (const instance of range(3)) {
      expect(runs.filter((one) => one === instance).length).toBeGreaterThanOrEqual(1);
      expect(runs.filter((one) => one === instance).length).toBeLessThanOrEqual(8);
    }
  });

  it.each([undefined, 'STICKY'])(
    'moves only the items of a dead instance, and those due to one that joins: %s',
    async (strategy) => {
      cluster = await createTestCluster({
        instances: 3,
        jobs: [{ name: JOB, cron: '0/5 * * * * ?', shardingTotalCount: 12, strategy, handler: () => {} }],
      });
      const atFirst = cluster.assignment(JOB);

      const late = await cluster.join();
      await cluster.advance(1_000);
      const joined = cluster.assignment(JOB);
      cluster.crash(0);
      await cluster.advance(15_000);

      expect(itemsThatMoved(atFirst, joined)).toEqual(itemsOf(joined, late));
      expect(range(4).map((instance) => itemsOf(joined, instance).length)).toEqual([3, 3, 3, 3]);
      expect(itemsThatMoved(joined, cluster.assignment(JOB))).toEqual(itemsOf(joined, 0));
    },
  );
});

type Assignment = ReadonlyMap<number, number>;

function itemsThatMoved(before: Assignment, after: Assignment): number[] {
  return [...after].filter(([item, instance]) => before.get(item) !== instance).map(([item]) => item);
}

function itemsOf(assignment: Assignment, instance: number): number[] {
  return [...assignment].filter(([, owner]) => owner === instance).map(([item]) => item);
}

describe('SINGLE_SHARDING_BALANCE', () => {
  it('lets three instances take turns with one item in the order of Java', async () => {
    await startRound({ instances: 3 });

    await cluster.advance(30_000);

    const [first, ...others] = runners();
    expect([first, ...others]).toEqual(range(6).map((run) => (first! - run + 6) % 3));
  });

  it('goes on by turns if the next instance dies, and loses no fire time', async () => {
    await startRound({ instances: 3 });
    await cluster.advance(13_000);
    const next = (runners().at(-1)! + 2) % 3;

    cluster.crash(next);
    await cluster.advance(40_000);

    expectEachFireTimeOnce();
    expect(new Set(runners().slice(-4))).toEqual(new Set(range(3).filter((instance) => instance !== next)));
  });

  it('goes on by turns if the instance dies that named the next one, and loses no fire time', async () => {
    await startRound({ instances: 3 });
    await cluster.advance(13_000);
    const last = runners().at(-1)!;

    cluster.crash(last);
    await cluster.advance(40_000);

    expectEachFireTimeOnce();
    expect(new Set(runners().slice(-4))).toEqual(new Set(range(3).filter((instance) => instance !== last)));
  });

  it('goes on by turns if the next server is disabled', async () => {
    await startRound({ instances: 2 });
    await cluster.advance(10_000);
    const next = 1 - runners().at(-1)!;

    await (await operatorOf(cluster)).set(`/${JOB}/servers/10.0.0.${next + 1}`, 'DISABLED');
    await cluster.advance(15_000);

    expect(runners().slice(-3)).toEqual(Array(3).fill(1 - next));
    expectEachFireTimeOnce();
  });

  it.each([4_999, 5_000, 5_001, 12_000])(
    'overlaps no runs of %i ms when turns change, and catches up on the latest fire time',
    async (duration) => {
      await startRound({ instances: 3, handler: () => cluster.clock.sleep(duration) });

      await cluster.advance(120_000);

      const runs = cluster.runs(JOB);
      for (const [index, run] of runs.entries()) {
        if (index === 0) continue;
        expect(run.startedAt).toBeGreaterThanOrEqual(runs[index - 1]!.endedAt!);
        // The item is never free for as long as an interval.
        expect(run.startedAt - runs[index - 1]!.endedAt!).toBeLessThan(5_000);
      }
    },
  );

  it.each(['disabled', 'failover', 'running'])(
    'leaves a run out without an error if the item has a mark %s (fault 28)',
    async (mark) => {
      await startRound({ instances: 2 });
      await cluster.advance(6_000);
      const before = runners().length;
      const operator = await operatorOf(cluster);
      await operator.create(`/${JOB}/sharding/0/${mark}`, '10.0.0.99@-@1-0', 'PERSISTENT');

      // Not longer, because a mark of no instance is swept.
      await cluster.advance(6_000);
      const meanwhile = runners().length;
      await operator.delete(`/${JOB}/sharding/0/${mark}`);
      await cluster.advance(10_000);

      expect(meanwhile).toBe(before);
      expect(runners().length).toBeGreaterThanOrEqual(before + 2);
      expect(cluster.instances.flatMap(({ events }) => events).filter(({ kind }) => kind === 'error')).toEqual([]);
    },
  );

  it('writes the next instance once if there is only one', async () => {
    await startRound({ instances: 1 });
    await cluster.advance(10_000);
    const operator = await operatorOf(cluster);
    const next = await operator.read(`/${JOB}/next-job-instance-ip`);

    await cluster.advance(20_000);

    expect(next).toMatchObject({ data: '10.0.0.1', stat: { ephemeralOwner: cluster.instances[0]!.center.session.id } });
    expect(await operator.read(`/${JOB}/next-job-instance-ip`)).toEqual(next);
  });
});

async function startRound(options: { instances: number; handler?: () => unknown }): Promise<void> {
  cluster = await createTestCluster({
    instances: options.instances,
    sessionTimeoutMs: 4_000,
    jobs: [
      {
        name: JOB,
        cron: '0/5 * * * * ?',
        shardingTotalCount: 1,
        strategy: 'SINGLE_SHARDING_BALANCE',
        handler: options.handler ?? (() => {}),
      },
    ],
  });
}

function runners(): number[] {
  return cluster.runs(JOB).map(({ instance }) => instance);
}

function expectEachFireTimeOnce(): void {
  const fireTimes = cluster.runs(JOB).map(({ fireTime }) => fireTime);
  const first = fireTimes[0]!;
  expect(fireTimes).toEqual(fireTimes.map((_, index) => first + 5_000 * index));
}
