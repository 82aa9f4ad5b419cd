import { afterEach, describe, expect, it } from 'vitest';
import { ClockedJob, HOUR, JOB, MINUTE, SECOND } from './support/clocked-job.js';
import { editConfig } from './support/operators.js';
import { operatorOf } from './support/registry-walk.js';

let job: ClockedJob;
afterEach(() => job.stop());

describe('the clock of a lone instance and of its registry', () => {
  it('runs the fire times that come when it is corrected by two hours', async () => {
    job = await ClockedJob.start();
    await job.passMinutes(2);
    // The host's clock is the registry's as well.
    job.stepRegistry(-2 * HOUR);
    job.stepClock(0, 0);
    const before = job.runs().length;
    await job.passMinutes(5);

    const since = job
      .runs()
      .slice(before)
      .filter(({ item }) => item === 0);
    expect(since.length).toBeGreaterThanOrEqual(4);
    expect(job.eventsOf(0, 'early').length).toBeGreaterThan(0);
  });

  it('follows the misfire policy for fire times that it is set past', async () => {
    job = await ClockedJob.start();
    await job.passMinutes(2);
    job.stepRegistry(2 * HOUR);
    job.stepClock(0, 0);
    await job.passMinutes(2);

    const [missed] = job.eventsOf(0, 'missed');
    expect(missed!.fireTime - missed!.since).toBeGreaterThan(HOUR);
    expect(job.eventsOf(0, 'clock')).toEqual([]);
    expect(job.eventsOf(0, 'early')).toEqual([]);
  });
});

describe('a registry whose clock is ahead of the instances within the tolerance', () => {
  it('catches up on fire times after an edit, and does not take them for earlier ones', async () => {
    job = await ClockedJob.start({ cron: '* * * * * ?', handler: (_context, { clock }) => clock.sleep(1_300) });
    job.stepClock(0, -8 * SECOND);
    await job.advance(10 * SECOND);
    const operator = await operatorOf(job.cluster);
    await editConfig(operator, JOB, /^description: .*$/m, 'description: edited');
    const from = job.cluster.instances[0]!.clock.wallNow();
    await job.advance(6 * SECOND);

    const runs = job.runs().filter(({ item, fireTime }) => item === 0 && fireTime > from);
    expect(runs.some(({ source }) => source === 'MISFIRE')).toBe(true);
    const missed = job.eventsOf(0, 'missed').filter(({ fireTime }) => fireTime > from);
    const told = runs.length + missed.reduce((sum, { count }) => sum + count, 0);
    expect(told).toBeGreaterThanOrEqual(4);
  });
});

describe('a registry whose own clock is wrong', () => {
  it.each([-2, 2])(
    'is reported by the instances if it is set by %i hours, and no fire time is held back or repeated',
    async (hours) => {
      job = await ClockedJob.start({ instances: 3 });
      await job.passMinutes(2);
      job.stepRegistry(hours * HOUR);
      await job.passMinutes(5);
      job.stepRegistry(-hours * HOUR);
      await job.passMinutes(5);

      expect(job.gaps()).toEqual(Array.from({ length: 12 }, () => 0));
      const states = [0, 1, 2].flatMap((index) => job.eventsOf(index, 'clock').map(({ state }) => state));
      expect(states).not.toContain('ahead');
      expect(states).toContain('registry-wrong');
      expect([0, 1, 2].flatMap((index) => job.eventsOf(index, 'early'))).toEqual([]);
    },
  );

  it.each([-2, 2])('set by %i hours, refuses nothing that a clock ahead of all others has begun', async (hours) => {
    job = await ClockedJob.start({ instances: 1, clockToleranceMs: 6 * HOUR, shardingTotalCount: 8 });
    for (let more = 0; more < 3; more += 1) await job.startAnother();
    job.stepRegistry(hours * HOUR);
    await job.passMinutes(2);
    job.cluster.setWall(0, job.cluster.instances[1]!.clock.wallNow() + HOUR);
    await job.passMinutes(2);
    await job.cluster.leave(0);
    const before = job.runs().length;
    await job.passMinutes(5);

    const since = job.runs().slice(before);
    expect(since.length).toBeGreaterThanOrEqual(8 * 5);
    expect(since.every(({ fireTime, startedAt }) => Math.abs(startedAt - fireTime) < MINUTE)).toBe(true);
  });

  it.each([-2, 2])('set by %i hours, lets no clock run ahead of most of the others', async (hours) => {
    job = await ClockedJob.start({ instances: 4 });
    job.stepRegistry(hours * HOUR);
    await job.passMinutes(2);
    job.cluster.setWall(0, job.cluster.instances[1]!.clock.wallNow() + HOUR);
    await job.passMinutes(4);

    expect(job.gaps()).toEqual(Array.from({ length: 6 }, () => 0));
    expect(job.eventsOf(0, 'clock').at(-1)).toMatchObject({ state: 'ahead' });
  });

  it('is reported by most instances, and one that is wrong with it repeats no item that it takes over', async () => {
    job = await ClockedJob.start({ instances: 4, shardingTotalCount: 8 });
    await job.passMinutes(10);
    job.stepRegistry(-8 * MINUTE);
    job.stepClock(0, 0);
    await job.passMinutes(2);
    const owners = job.cluster.assignment(JOB);
    await job.cluster.leave(1);
    await job.passMinutes(15);

    const others = job.runs().filter(({ item }) => owners.get(item) !== 0);
    expect(others.some(({ instance }) => instance === 0)).toBe(true);
    const keys = others.map(({ item, fireTime }) => `${item} ${fireTime}`);
    expect(new Set(keys).size).toBe(keys.length);
    expect(job.eventsOf(0, 'clock')).toMatchObject([{ state: 'behind' }]);
  });

  it('wins over an instance whose clock differs from all others', async () => {
    job = await ClockedJob.start({ instances: 3 });
    await job.passMinutes(1);
    job.stepClock(0, 2 * HOUR);
    await job.passMinutes(3);

    expect(job.eventsOf(0, 'clock').map(({ state }) => state)).toEqual(['ahead']);
    expect([1, 2].flatMap((index) => job.eventsOf(index, 'clock'))).toEqual([]);
    expect(job.gaps()).toEqual(Array.from({ length: 4 }, () => 0));
  });
});
