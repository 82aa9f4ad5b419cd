import { afterEach, describe, expect, it } from 'vitest';
import type { JobHandler, JobOptions, MisfirePolicy } from '../../libs/elastic-job/src/domain/index.js';
import type { RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import { ask } from './support/operators.js';
import { operatorOf } from './support/registry-walk.js';
import { range } from './support/run-checks.js';

const JOB = 'settle-orders';
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

let cluster: TestCluster;
let operator: RegistryCenter;
/** The minute of the last fire time before the trouble. */
let start: number;
afterEach(() => cluster.stop());

describe('an outage of the whole cluster over three fire times', () => {
  it.each<[MisfirePolicy, string[], string[]]>([
    ['skip', [], ['1 skipped', '2 skipped', '3 skipped']],
    ['once', ['3 MISFIRE'], ['1 superseded', '2 superseded']],
    ['all', ['1 MISFIRE', '2 MISFIRE', '3 MISFIRE'], []],
  ])('leads to the runs and reports of the policy %s when an instance is back', async (misfirePolicy, ran, missed) => {
    await startCluster({ misfirePolicy });

    await outage(3);
    await cluster.advance(20 * SECOND);

    expect(runsOf(0)).toEqual(['0 NORMAL_TRIGGER', ...ran]);
    expect(runsOf(1)).toEqual(['0 NORMAL_TRIGGER', ...ran]);
    expect(missedOf(0)).toEqual(missed);
    expect(missedOf(1)).toEqual(missed);
    expect(countInStatus()).toBe(2 * missed.length);

    await cluster.advance(MINUTE);
    expect(runsOf(0)).toEqual(['0 NORMAL_TRIGGER', ...ran, '4 NORMAL_TRIGGER']);
    expect(missedOf(0)).toEqual(missed);
  });

  it('leads to two runs and one missed fire time with a limit of two', async () => {
    await startCluster({ misfirePolicy: 'all', misfireLimit: 2 });

    await outage(3);
    await cluster.advance(10 * SECOND);

    expect(runsOf(0)).toEqual(['0 NORMAL_TRIGGER', '2 MISFIRE', '3 MISFIRE']);
    expect(missedOf(0)).toEqual(['1 limit']);
  });

  it('is reported by a job that skips, but not before the last fire time is too late', async () => {
    await startCluster({ misfirePolicy: 'skip' });

    await outage(3, 20 * SECOND);
    expect(missedOf(0)).toEqual(['1 skipped', '2 skipped']);

    await cluster.advance(20 * SECOND);
    expect(missedOf(0)).toEqual(['1 skipped', '2 skipped', '3 skipped']);
  });

  it('is reported once for each fire time and item although two instances come back', async () => {
    await startCluster({ misfirePolicy: 'once' });

    await outage(3);
    await cluster.join();
    await cluster.advance(2 * MINUTE);

    expect(missedOf(0)).toEqual(['1 superseded', '2 superseded']);
    expect(missedOf(1)).toEqual(['1 superseded', '2 superseded']);
  });

  it('is caught up on before a trigger, even if runs take most of the interval', async () => {
    await startCluster({ misfirePolicy: 'all', handler: () => cluster.clock.sleep(25 * SECOND) });

    await outage(3);
    await cluster.advance(4 * MINUTE);

    const expected = ['0 NORMAL_TRIGGER', '1 MISFIRE', '2 MISFIRE', '3 MISFIRE', '4 MISFIRE', '5 MISFIRE'];
    expect(runsOf(0).slice(0, 6)).toEqual(expected);
    expect(runsOf(0).at(-1)).toBe('7 NORMAL_TRIGGER');
    expect(missedOf(0)).toEqual([]);
  });

  it('reports all missed fire times in one event, with their number', async () => {
    await startCluster({ misfirePolicy: 'once', cron: '* * * * * ?' });

    await outage(10);
    await cluster.advance(SECOND);

    const missed = missedEvents();
    const [{ since, fireTime, count } = { since: 0, fireTime: 0, count: 0 }] = missed;
    expect(missed).toMatchObject([{ items: [0, 1], reason: 'superseded' }]);
    expect(count).toBeGreaterThan(9 * 60);
    expect(fireTime - since).toBe((count - 1) * SECOND);
    expect(countInStatus()).toBe(2 * count);
  });
});

describe('a registry that is away', () => {
  it.each<[MisfirePolicy, string[], string[]]>([
    ['skip', [], ['1 skipped', '2 skipped', '3 skipped']],
    ['once', ['3 MISFIRE'], ['1 superseded', '2 superseded']],
    ['all', ['1 MISFIRE', '2 MISFIRE', '3 MISFIRE'], []],
  ])(
    'loses no fire time silently under the policy %s, even after the sessions have ended',
    async (misfirePolicy, ran, missed) => {
      await startCluster({ misfirePolicy, instances: 2 });

      cluster.partition(0);
      cluster.partition(1);
      await cluster.advance(3 * MINUTE);
      await cluster.heal(0);
      await cluster.heal(1);
      await cluster.advance(40 * SECOND);

      expect(runsOf(0)).toEqual(['0 NORMAL_TRIGGER', ...ran]);
      expect(missedOf(0)).toEqual(missed);
      expect(missedOf(1)).toEqual(missed);
    },
  );
});

describe('an item that outlasts two fire times', () => {
  it.each<[MisfirePolicy, string[], string[]]>([
    ['skip', ['3 NORMAL_TRIGGER'], ['1 skipped', '2 skipped']],
    ['once', ['2 MISFIRE', '3 NORMAL_TRIGGER'], ['1 superseded']],
    ['all', ['1 MISFIRE', '2 MISFIRE', '3 NORMAL_TRIGGER'], []],
  ])('runs and reports what the policy %s says when it has ended', async (misfirePolicy, ran, missed) => {
    let isSlow = true;
    await startCluster({
      misfirePolicy,
      handler: async ({ shardingItem }) => {
        if (shardingItem !== 0 || !isSlow) return;
        isSlow = false;
        await cluster.clock.sleep(2.5 * MINUTE);
      },
    });

    await cluster.advance(3 * MINUTE);

    expect(runsOf(0)).toEqual(['0 NORMAL_TRIGGER', ...ran]);
    expect(missedOf(0)).toEqual(missed);
    expect(missedOf(1)).toEqual([]);
  });
});

describe('an item that only an operator has run so far', () => {
  const MADE_UP: readonly [MisfirePolicy, string[], string[]][] = [
    ['skip', ['2 NORMAL_TRIGGER'], ['0 skipped', '1 skipped']],
    ['once', ['1 MISFIRE', '2 NORMAL_TRIGGER'], ['0 superseded']],
    ['all', ['0 MISFIRE', '1 MISFIRE', '2 NORMAL_TRIGGER'], []],
  ];

  /** An operator's trigger starts a run of item 0 that outlasts two fire times. */
  async function startSlowRun(misfirePolicy: MisfirePolicy): Promise<void> {
    let isSlow = true;
    await startCluster({
      misfirePolicy,
      wallMs: -4 * SECOND,
      handler: async ({ shardingItem }) => {
        if (shardingItem !== 0 || !isSlow) return;
        isSlow = false;
        await cluster.clock.sleep(90 * SECOND);
      },
    });
    await ask(cluster, operator, JOB, { id: 'a' });
  }

  it.each(MADE_UP)(
    'runs and reports what the policy %s says if that run outlasts two fire times',
    async (misfirePolicy, ran, missed) => {
      await startSlowRun(misfirePolicy);

      await cluster.advance(150 * SECOND);

      expect(runsOf(0).slice(1)).toEqual(ran);
      expect(missedOf(0)).toEqual(missed);
      expect(runsOf(1).slice(1)).toEqual(['0 NORMAL_TRIGGER', '1 NORMAL_TRIGGER', '2 NORMAL_TRIGGER']);
      expect(missedOf(1)).toEqual([]);
    },
  );

  it.each(MADE_UP)(
    'keeps owed fire times under the policy %s if the operator triggers again before the catch-up',
    async (misfirePolicy, ran, missed) => {
      await startSlowRun(misfirePolicy);

      await cluster.advance(80 * SECOND);
      await ask(cluster, operator, JOB, { id: 'b' });
      await cluster.advance(70 * SECOND);

      expect(runsOf(0).slice(2)).toEqual(ran);
      expect(missedOf(0)).toEqual(missed);
    },
  );

  it('catches up on what is due by its own clock, even if that is behind', async () => {
    await startCluster({
      wallMs: -4 * SECOND,
      handler: async ({ shardingItem, source }) => {
        if (shardingItem === 0 && source === 'NORMAL_TRIGGER') await cluster.clock.sleep(10 * SECOND);
      },
    });
    cluster.setWall(0, start - 6 * SECOND);
    await cluster.advance(3 * SECOND);

    await ask(cluster, operator, JOB, { id: 'a' });
    await cluster.advance(20 * SECOND);

    expect(runsOf(0).slice(1)).toEqual(['0 MISFIRE']);
    expect(missedOf(0)).toEqual([]);
  });
});

describe('a clock that is set forward', () => {
  it('runs each fire time that it jumps over in order if the job catches up on all', async () => {
    await startCluster({ misfirePolicy: 'all' });

    // The registry's clock is set as well, or the new time would not be believed.
    cluster.clock.setWall(cluster.clock.wallNow() + 3 * MINUTE);
    cluster.setWall(0, cluster.clock.wallNow());
    await cluster.advance(2 * MINUTE);

    const fireTimes = runsOf(0).map((run) => Number(run.split(' ')[0]));
    expect(fireTimes).toEqual(fireTimes.map((_, index) => index));
    expect(fireTimes.length).toBeGreaterThanOrEqual(5);
    expect(missedOf(0)).toEqual([]);
  });
});

describe('fire times that were switched off', () => {
  it.each<MisfirePolicy>(['skip', 'once', 'all'])(
    'are neither run nor missed under the policy %s if the schedule was paused',
    async (misfirePolicy) => {
      await startCluster({ misfirePolicy });
      const { registrar } = cluster.instances[0]!.runtime;

      registrar.pause(JOB);
      await cluster.advance(2 * MINUTE);
      registrar.resume(JOB);
      await cluster.advance(MINUTE);

      expect(runsOf(0)).toEqual(['0 NORMAL_TRIGGER', '3 NORMAL_TRIGGER']);
      expect(missedOf(0)).toEqual([]);
    },
  );

  it.each<MisfirePolicy>(['skip', 'once', 'all'])(
    'are neither run nor missed under the policy %s if a disabled item moves to a new instance',
    async (misfirePolicy) => {
      await startCluster({ misfirePolicy });

      await operator.create(`/${JOB}/sharding/0/disabled`, '', 'PERSISTENT');
      await cluster.advance(2 * MINUTE);
      await operator.delete(`/${JOB}/sharding/0/disabled`);
      await cluster.advance(SECOND);
      cluster.crash(0);
      await cluster.advance(15 * SECOND);
      await cluster.join();
      await cluster.advance(2 * MINUTE - 16 * SECOND);

      expect(runsOf(0)).toEqual(['0 NORMAL_TRIGGER', '3 NORMAL_TRIGGER', '4 NORMAL_TRIGGER']);
      expect(missedOf(0)).toEqual([]);
    },
  );

  it('do not include one that was missed before the pause, which is run', async () => {
    let isSlow = true;
    await startCluster({
      misfirePolicy: 'all',
      handler: async () => {
        if (isSlow) await cluster.clock.sleep(80 * SECOND);
        isSlow = false;
      },
    });
    await cluster.advance(65 * SECOND);

    cluster.instances[0]!.runtime.registrar.pause(JOB);
    await cluster.advance(2 * MINUTE);
    cluster.instances[0]!.runtime.registrar.resume(JOB);
    await cluster.advance(MINUTE);

    expect(runsOf(0)).toEqual(['0 NORMAL_TRIGGER', '1 MISFIRE', '4 NORMAL_TRIGGER']);
    expect(missedOf(0)).toEqual([]);
  });

  it('are missed and not run if an untrusted clock has refused them', async () => {
    await startCluster({ misfirePolicy: 'all', maxTimeDiffSeconds: 10, wallMs: 30 * SECOND });
    cluster.setWall(0, cluster.clock.wallNow() + 20 * SECOND);
    await cluster.advance(MINUTE);

    cluster.setWall(0, cluster.clock.wallNow());
    await cluster.advance(2 * MINUTE);

    expect(runsOf(0).slice(0, 2)).toEqual(['0 NORMAL_TRIGGER', '2 NORMAL_TRIGGER']);
    expect(missedOf(0)).toEqual(['1 skipped']);
  });
});

interface Options extends Omit<JobOptions, 'shardingTotalCount'> {
  readonly instances?: number;
  readonly handler?: JobHandler;
  readonly wallMs?: number;
}

/** A job of two items, each of which has run for fire time 0, a little later than that. */
async function startCluster({ instances = 1, handler = () => {}, wallMs = 0, ...job }: Options): Promise<void> {
  start = Date.UTC(2026, 0, 1, 10, 0);
  cluster = await createTestCluster({
    instances,
    wall: start - 5 * SECOND,
    jobs: [{ cron: '0 * * * * ?', ...job, name: JOB, shardingTotalCount: 2, handler }],
  });
  operator = await operatorOf(cluster);
  await cluster.advance(start + 2 * SECOND + wallMs - cluster.clock.wallNow());
}

/** All instances die before the next fire time. A new one joins `ms` after that many fire times have passed. */
async function outage(fireTimes: number, ms = 35 * SECOND): Promise<void> {
  await cluster.advance(40 * SECOND);
  for (const index of cluster.instances.keys()) cluster.crash(index);
  await cluster.advance(start + fireTimes * MINUTE + ms - cluster.clock.wallNow());
  await cluster.join();
  await cluster.advance(SECOND);
}

/** `3 MISFIRE` is a run for the fire time three minutes after the first. */
function runsOf(item: number): string[] {
  const runs = cluster.runs(JOB).filter((run) => run.item === item);
  return runs.map(({ fireTime, source }) => `${(fireTime - start) / MINUTE} ${source}`);
}

function missedEvents() {
  return cluster.instances.flatMap((_, index) => cluster.events(index)).filter((event) => event.kind === 'missed');
}

function missedOf(item: number): string[] {
  const missed = missedEvents().filter(({ items }) => items.includes(item));
  return missed.flatMap(({ count, reason, since }) =>
    range(count).map((index) => `${(since - start) / MINUTE + index} ${reason}`),
  );
}

function countInStatus(): number {
  return cluster.instances
    .flatMap(({ runtime }) => runtime.status().jobs)
    .reduce((sum, job) => sum + job.missedRuns, 0);
}
