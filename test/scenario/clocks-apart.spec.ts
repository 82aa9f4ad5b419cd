import { afterEach, describe, expect, it } from 'vitest';
import { judgeLiveness, judgeReadiness } from '../../libs/elastic-job/src/health/index.js';
import {
  createTestCluster,
  type TestCluster,
  type TestClusterSettings,
  type TestJobHandler,
} from '../../libs/elastic-job/src/testing/index.js';
import type { JobEvent } from '../../libs/elastic-job/src/tracing/index.js';
import { editConfig } from './support/operators.js';
import { operatorOf } from './support/registry-walk.js';

const JOB = 'settle-orders';
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

let cluster: TestCluster;
let start: number;
afterEach(() => cluster.stop());

describe('an instance whose clock runs hours ahead of the registry', () => {
  it('begins a fire time when it is due by the registry, tells of it once, and is degraded meanwhile', async () => {
    await startCluster();
    await passMinutes(1);
    stepClock(0, 5 * HOUR);
    await passMinutes(5);

    expect(gaps()).toEqual(Array.from({ length: 6 }, () => 0));
    expect(eventsOf(0, 'clock')).toEqual([expect.objectContaining({ state: 'ahead' })]);
    const { runtime } = cluster.instances[0]!;
    expect(judgeReadiness(runtime.status())).toMatchObject({
      status: 'degraded',
      details: { reasons: [expect.stringContaining("18000 s ahead of the registry's")] },
    });
    expect(judgeLiveness(runtime.status(), cluster.instances[0]!.clock.wallNow()).status).toBe('up');
  });

  it('goes on by its own clock once that is right again, without a gap', async () => {
    await startCluster();
    stepClock(0, 5 * HOUR);
    await passMinutes(3);
    stepClock(0, 0);
    await passMinutes(3);

    expect(gaps()).toEqual(Array.from({ length: 6 }, () => 0));
    expect(eventsOf(0, 'clock').map(({ state }) => state)).toEqual(['ahead', 'trusted']);
    expect(judgeReadiness(cluster.instances[0]!.runtime.status()).status).toBe('up');
  });

  it('is told to be right within a second after it was set right, though no fire time comes', async () => {
    await startCluster();
    await passMinutes(1);
    stepClock(0, 5 * HOUR);
    await passMinutes(1);
    await cluster.advance(10 * SECOND);
    stepClock(0, 0);
    await cluster.advance(SECOND);

    expect(eventsOf(0, 'clock').map(({ state }) => state)).toEqual(['ahead', 'trusted']);
  });

  it('catches up on no item that is disabled while the clock is judged', async () => {
    await startCluster({ instances: 2, shardingTotalCount: 6 });
    await passMinutes(1);
    const [disabled, other] = [...cluster.assignment(JOB)].flatMap(([item, owner]) => (owner === 0 ? [item] : []));
    const operator = await operatorOf(cluster);
    await cluster.advance(MINUTE - (cluster.clock.wallNow() % MINUTE) - 700);
    stepClock(0, 5 * HOUR);
    // Something makes the instance look at what it owes.
    await operator.create(`/${JOB}/sharding/${other}/disabled`, '', 'PERSISTENT');
    await operator.delete(`/${JOB}/sharding/${other}/disabled`);
    await cluster.advance(500);
    await operator.create(`/${JOB}/sharding/${disabled}/disabled`, '', 'PERSISTENT');
    const before = cluster.runs(JOB).length;
    await cluster.advance(5 * SECOND);

    const items = cluster
      .runs(JOB)
      .slice(before)
      .map(({ item }) => item);
    expect(items).toContain(other);
    expect(items).not.toContain(disabled);
    await operator.close();
  });

  it('keeps nobody from running its items after it has left', async () => {
    await startCluster({ instances: 2 });
    stepClock(0, 5 * HOUR);
    await passMinutes(2);
    await cluster.leave(0);
    const before = cluster.runs(JOB).length;
    await passMinutes(3);

    expect(cluster.runs(JOB).length - before).toBe(3 * 2);
    expect(
      cluster.runs(JOB).every(({ fireTime, startedAt, instance }) => instance === 0 || startedAt >= fireTime),
    ).toBe(true);
  });

  it('holds nothing back within the tolerance', async () => {
    await startCluster();
    stepClock(0, 9 * SECOND);
    await passMinutes(3);
    expect(eventsOf(0, 'clock')).toEqual([]);
    expect(cluster.runs(JOB)).toHaveLength(2 * 3);
  });

  it('costs no request more than a clock that is right, but for a look each half minute', async () => {
    await startCluster();
    await passMinutes(1);
    stepClock(0, 5 * HOUR);
    await passMinutes(2);
    const { foreground: before } = { ...cluster.instances[0]!.center.traffic };
    await passMinutes(1);
    expect(cluster.instances[0]!.center.traffic.foreground - before).toBeLessThanOrEqual(3 + 2);
  });
});

describe('an instance whose clock was ahead within the tolerance and is set right', () => {
  it('runs at their fire times the items that it gets before its clock has come as far again', async () => {
    await startCluster({ instances: 2, cron: '* * * * * ?', shardingTotalCount: 4 });
    stepClock(0, 9 * SECOND);
    await cluster.advance(5 * SECOND);
    const owners = cluster.assignment(JOB);
    stepClock(0, 0);
    await cluster.advance(SECOND);
    await cluster.leave(1);
    const from = cluster.clock.wallNow();
    await cluster.advance(5 * SECOND);

    const gained = cluster.runs(JOB).filter(({ item, startedAt }) => owners.get(item) === 1 && startedAt >= from);
    const items = new Set(gained.map(({ item }) => item));
    expect(items.size).toBeGreaterThan(0);
    for (const item of items) {
      const latenesses = gained
        .filter((run) => run.item === item)
        .map(({ fireTime, startedAt }) => startedAt - fireTime);
      expect(latenesses.length).toBeGreaterThanOrEqual(5);
      for (const late of latenesses.slice(1)) expect(late).toBeLessThan(500);
    }
  });
});

describe('an instance whose clock is hours behind the registry', () => {
  it('runs the next fire time as it comes once its clock is right again, though it was armed for a later one', async () => {
    await startCluster({ instances: 1 });
    stepClock(0, -2 * HOUR - 30 * SECOND);
    await passMinutes(3);
    stepClock(0, 0);
    await cluster.advance(5 * SECOND);
    const before = cluster.runs(JOB).length;
    await passMinutes(1);

    const since = cluster.runs(JOB).slice(before);
    const lateMs = since.map(({ fireTime, startedAt }) => startedAt - fireTime);
    expect(lateMs).toHaveLength(2);
    expect(Math.max(...lateMs)).toBeLessThan(SECOND);
  });

  it('begins late what nobody else has begun, tells of it once, and is degraded meanwhile', async () => {
    await startCluster({ instances: 2 });
    await passMinutes(2);
    stepClock(1, -2 * HOUR);
    await cluster.leave(0);
    const before = cluster.runs(JOB).length;
    await passMinutes(60);

    expect(cluster.runs(JOB).length).toBe(before);
    expect(eventsOf(1, 'clock')).toMatchObject([{ state: 'behind' }]);
    expect(judgeReadiness(cluster.instances[1]!.runtime.status())).toMatchObject({
      status: 'degraded',
      details: { reasons: [expect.stringContaining("7200 s behind the registry's")] },
    });

    await passMinutes(65);
    const late = cluster.runs(JOB).slice(before);
    expect(late.length).toBeGreaterThan(2);
    const last = Math.max(
      ...cluster
        .runs(JOB)
        .slice(0, before)
        .map(({ fireTime }) => fireTime),
    );
    expect(late[0]!.fireTime).toBe(last + MINUTE);
    stepClock(1, 0);
    await passMinutes(2);
    expect(eventsOf(1, 'clock').map(({ state }) => state)).toEqual(['behind', 'trusted']);
    expect(judgeReadiness(cluster.instances[1]!.runtime.status()).status).toBe('up');
  });
});

describe('records from the future', () => {
  it('block nobody: what has come is begun, what is named is not begun again, and the early run is told', async () => {
    await startCluster({ instances: 1, clockToleranceMs: 6 * HOUR });
    await passMinutes(1);
    stepClock(0, 30 * MINUTE);
    await cluster.advance(10 * SECOND);
    const named = Math.max(...cluster.runs(JOB).map(({ fireTime }) => fireTime));
    await cluster.leave(0);
    await startAnother();
    const before = cluster.runs(JOB).length;
    await passMinutes(3);

    const since = cluster.runs(JOB).slice(before);
    expect(since.map(({ fireTime, startedAt }) => startedAt - fireTime).every((ms) => ms >= 0 && ms < MINUTE)).toBe(
      true,
    );
    expect(since).toHaveLength(2 * 3);
    expect(eventsOf(1, 'early')).toEqual([expect.objectContaining({ fireTime: named, items: [0, 1] })]);

    await passMinutes(35);
    const times = cluster
      .runs(JOB)
      .filter(({ item }) => item === 0)
      .map(({ fireTime }) => fireTime);
    expect(times.filter((time) => time === named)).toHaveLength(1);
    expect(new Set(times).size).toBe(times.length);
    expect(eventsOf(1, 'missed').filter(({ fireTime }) => fireTime === named)).toEqual([]);
  });

  it.each(['once', 'all', 'skip'] as const)('hold up no later fire time under the policy %s', async (misfirePolicy) => {
    await startCluster({ instances: 1, clockToleranceMs: 6 * HOUR, misfirePolicy });
    stepClock(0, 10 * MINUTE);
    await passMinutes(1);
    await cluster.leave(0);
    await startAnother();
    await passMinutes(1);
    const before = cluster.runs(JOB).length;
    await passMinutes(15);
    expect(cluster.runs(JOB).length - before).toBe(2 * 14);
  });
});

describe('the clock of a lone instance and of its registry', () => {
  it('is corrected by two hours: the fire times that come then are run', async () => {
    await startCluster();
    await passMinutes(2);
    // The host is the registry's as well.
    cluster.clock.setWall(cluster.clock.wallNow() - 2 * HOUR);
    stepClock(0, 0);
    const before = cluster.runs(JOB).length;
    await passMinutes(5);

    const since = cluster
      .runs(JOB)
      .slice(before)
      .filter(({ item }) => item === 0);
    expect(since.length).toBeGreaterThanOrEqual(4);
    expect(eventsOf(0, 'early').length).toBeGreaterThan(0);
  });

  it('is set forward by two hours: what was stepped over is caught up on and told by the misfire policy', async () => {
    await startCluster();
    await passMinutes(2);
    cluster.clock.setWall(cluster.clock.wallNow() + 2 * HOUR);
    stepClock(0, 0);
    await passMinutes(2);

    const [missed] = eventsOf(0, 'missed');
    expect(missed!.fireTime - missed!.since).toBeGreaterThan(HOUR);
    expect(eventsOf(0, 'clock')).toEqual([]);
    expect(eventsOf(0, 'early')).toEqual([]);
  });
});

describe('a registry whose clock is ahead of the instances within the tolerance', () => {
  it('takes no fire time that came after an edit for one that came before it: it is caught up on', async () => {
    await startCluster({ cron: '* * * * * ?', handler: (_context, { clock }) => clock.sleep(1_300) });
    stepClock(0, -8 * SECOND);
    await cluster.advance(10 * SECOND);
    const operator = await operatorOf(cluster);
    await editConfig(operator, JOB, /^description: .*$/m, 'description: edited');
    const from = cluster.instances[0]!.clock.wallNow();
    await cluster.advance(6 * SECOND);

    const runs = cluster.runs(JOB).filter(({ item, fireTime }) => item === 0 && fireTime > from);
    expect(runs.some(({ source }) => source === 'MISFIRE')).toBe(true);
    const missed = eventsOf(0, 'missed').filter(({ fireTime }) => fireTime > from);
    const told = runs.length + missed.reduce((sum, { count }) => sum + count, 0);
    expect(told).toBeGreaterThanOrEqual(4);
  });
});

describe('a registry whose own clock is wrong', () => {
  it.each([-2, 2])(
    'set by %i hours, is told to be wrong by the instances, and no fire time is held or run again',
    async (hours) => {
      await startCluster({ instances: 3 });
      await passMinutes(2);
      cluster.clock.setWall(cluster.clock.wallNow() + hours * HOUR);
      await passMinutes(5);
      cluster.clock.setWall(cluster.clock.wallNow() - hours * HOUR);
      await passMinutes(5);

      expect(gaps()).toEqual(Array.from({ length: 12 }, () => 0));
      const states = [0, 1, 2].flatMap((index) => eventsOf(index, 'clock').map(({ state }) => state));
      expect(states).not.toContain('ahead');
      expect(states).toContain('registry-wrong');
      expect([0, 1, 2].flatMap((index) => eventsOf(index, 'early'))).toEqual([]);
    },
  );

  it.each([-2, 2])('set by %i hours, refuses nobody what a clock that ran ahead of all has begun', async (hours) => {
    await startCluster({ instances: 1, clockToleranceMs: 6 * HOUR, shardingTotalCount: 8 });
    for (let more = 0; more < 3; more += 1) await startAnother();
    cluster.clock.setWall(cluster.clock.wallNow() + hours * HOUR);
    await passMinutes(2);
    cluster.setWall(0, cluster.instances[1]!.clock.wallNow() + HOUR);
    await passMinutes(2);
    await cluster.leave(0);
    const before = cluster.runs(JOB).length;
    await passMinutes(5);

    const since = cluster.runs(JOB).slice(before);
    expect(since.length).toBeGreaterThanOrEqual(8 * 5);
    expect(since.every(({ fireTime, startedAt }) => Math.abs(startedAt - fireTime) < MINUTE)).toBe(true);
  });

  it.each([-2, 2])('set by %i hours, lets no clock run ahead of most of the others', async (hours) => {
    await startCluster({ instances: 4 });
    cluster.clock.setWall(cluster.clock.wallNow() + hours * HOUR);
    await passMinutes(2);
    cluster.setWall(0, cluster.instances[1]!.clock.wallNow() + HOUR);
    await passMinutes(4);

    expect(gaps()).toEqual(Array.from({ length: 6 }, () => 0));
    expect(eventsOf(0, 'clock').at(-1)).toMatchObject({ state: 'ahead' });
  });

  it('is told by most instances to one that goes wrong with it, and items that it gets do not run again', async () => {
    await startCluster({ instances: 4, shardingTotalCount: 8 });
    await passMinutes(10);
    cluster.clock.setWall(cluster.clock.wallNow() - 8 * MINUTE);
    stepClock(0, 0);
    await passMinutes(2);
    const owners = cluster.assignment(JOB);
    await cluster.leave(1);
    await passMinutes(15);

    const others = cluster.runs(JOB).filter(({ item }) => owners.get(item) !== 0);
    expect(others.some(({ instance }) => instance === 0)).toBe(true);
    const keys = others.map(({ item, fireTime }) => `${item} ${fireTime}`);
    expect(new Set(keys).size).toBe(keys.length);
    expect(eventsOf(0, 'clock')).toMatchObject([{ state: 'behind' }]);
  });

  it('wins over an instance that is alone with its clock', async () => {
    await startCluster({ instances: 3 });
    await passMinutes(1);
    stepClock(0, 2 * HOUR);
    await passMinutes(3);

    expect(eventsOf(0, 'clock').map(({ state }) => state)).toEqual(['ahead']);
    expect([1, 2].flatMap((index) => eventsOf(index, 'clock'))).toEqual([]);
    expect(gaps()).toEqual(Array.from({ length: 4 }, () => 0));
  });
});

/** By run of an item, how far its fire time is from the full minute that it should be of, in milliseconds. */
function gaps(): readonly number[] {
  return cluster
    .runs(JOB)
    .filter(({ item }) => item === 0)
    .map(({ fireTime }, index) => fireTime - start - (index + 1) * MINUTE);
}

function eventsOf<K extends JobEvent['kind']>(index: number, kind: K): Extract<JobEvent, { kind: K }>[] {
  return cluster.events(index).filter((event): event is Extract<JobEvent, { kind: K }> => event.kind === kind);
}

type Options = Partial<TestClusterSettings> & {
  clockToleranceMs?: number;
  shardingTotalCount?: number;
  misfirePolicy?: 'once' | 'all' | 'skip';
  cron?: string;
  handler?: TestJobHandler;
};

async function startCluster({
  clockToleranceMs,
  cron = '0 * * * * ?',
  handler = () => {},
  misfirePolicy,
  shardingTotalCount = 2,
  ...settings
}: Options = {}): Promise<void> {
  const job = { name: JOB, cron, shardingTotalCount, misfirePolicy, handler };
  cluster = await createTestCluster({ instances: 1, latencyMs: 10, clockToleranceMs, ...settings, jobs: [job] });
  start = Math.floor(cluster.clock.wallNow() / MINUTE) * MINUTE;
}

/** One whose tolerance is the usual one. */
async function startAnother(): Promise<void> {
  Object.assign(Reflect.get(cluster, 'options'), { clockToleranceMs: undefined });
  await cluster.join();
}

function stepClock(index: number, aheadMs: number): void {
  cluster.setWall(index, cluster.clock.wallNow() + aheadMs);
}

/** Moves past so many full minutes of the registry's clock. */
function passMinutes(count: number): Promise<void> {
  return cluster.advance(count * MINUTE - (cluster.clock.wallNow() % MINUTE) + 10 * SECOND);
}
