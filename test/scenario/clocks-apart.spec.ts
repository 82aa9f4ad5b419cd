import { afterEach, describe, expect, it } from 'vitest';
import { judgeLiveness, judgeReadiness } from '../../libs/elastic-job/src/health/index.js';
import { ClockedJob, HOUR, JOB, MINUTE, SECOND } from './support/clocked-job.js';
import { operatorOf } from './support/registry-walk.js';

let job: ClockedJob;
afterEach(() => job.stop());

describe('an instance whose clock runs hours ahead of the registry', () => {
  it('begins a fire time when it is due by the registry, reports the gap once, and is degraded meanwhile', async () => {
    job = await ClockedJob.start();
    await job.passMinutes(1);
    job.stepClock(0, 5 * HOUR);
    await job.passMinutes(5);

    expect(job.gaps()).toEqual(Array.from({ length: 6 }, () => 0));
    expect(job.eventsOf(0, 'clock')).toEqual([expect.objectContaining({ state: 'ahead' })]);
    const { runtime } = job.cluster.instances[0]!;
    expect(judgeReadiness(runtime.status())).toMatchObject({
      status: 'degraded',
      details: { reasons: [expect.stringContaining("18000 s ahead of the registry's")] },
    });
    expect(judgeLiveness(runtime.status(), job.cluster.instances[0]!.clock.wallNow()).status).toBe('up');
  });

  it('uses its own clock again once that is right, without a gap', async () => {
    job = await ClockedJob.start();
    job.stepClock(0, 5 * HOUR);
    await job.passMinutes(3);
    job.stepClock(0, 0);
    await job.passMinutes(3);

    expect(job.gaps()).toEqual(Array.from({ length: 6 }, () => 0));
    expect(job.eventsOf(0, 'clock').map(({ state }) => state)).toEqual(['ahead', 'trusted']);
    expect(judgeReadiness(job.cluster.instances[0]!.runtime.status()).status).toBe('up');
  });

  it('notices within a second that its clock is right again, although no fire time comes', async () => {
    job = await ClockedJob.start();
    await job.passMinutes(1);
    job.stepClock(0, 5 * HOUR);
    await job.passMinutes(1);
    await job.advance(10 * SECOND);
    job.stepClock(0, 0);
    await job.advance(SECOND);

    expect(job.eventsOf(0, 'clock').map(({ state }) => state)).toEqual(['ahead', 'trusted']);
  });

  it('catches up on no item that is disabled while the clock is judged', async () => {
    job = await ClockedJob.start({ instances: 2, shardingTotalCount: 6 });
    await job.passMinutes(1);
    const [disabled, other] = [...job.cluster.assignment(JOB)].flatMap(([item, owner]) => (owner === 0 ? [item] : []));
    const operator = await operatorOf(job.cluster);
    await job.advance(MINUTE - (job.cluster.clock.wallNow() % MINUTE) - 700);
    job.stepClock(0, 5 * HOUR);
    // A change that makes the instance look at what it owes.
    await operator.create(`/${JOB}/sharding/${other}/disabled`, '', 'PERSISTENT');
    await operator.delete(`/${JOB}/sharding/${other}/disabled`);
    await job.advance(500);
    await operator.create(`/${JOB}/sharding/${disabled}/disabled`, '', 'PERSISTENT');
    const before = job.runs().length;
    await job.advance(5 * SECOND);

    const items = job
      .runs()
      .slice(before)
      .map(({ item }) => item);
    expect(items).toContain(other);
    expect(items).not.toContain(disabled);
    await operator.close();
  });

  it('leaves its items to others once it has left', async () => {
    job = await ClockedJob.start({ instances: 2 });
    job.stepClock(0, 5 * HOUR);
    await job.passMinutes(2);
    await job.cluster.leave(0);
    const before = job.runs().length;
    await job.passMinutes(3);

    expect(job.runs().length - before).toBe(3 * 2);
    expect(job.runs().every(({ fireTime, startedAt, instance }) => instance === 0 || startedAt >= fireTime)).toBe(true);
  });

  it('holds nothing back within the tolerance', async () => {
    job = await ClockedJob.start();
    job.stepClock(0, 9 * SECOND);
    await job.passMinutes(3);
    expect(job.eventsOf(0, 'clock')).toEqual([]);
    expect(job.runs()).toHaveLength(2 * 3);
  });

  it('costs no more requests than a right clock, except one check every 30 s', async () => {
    job = await ClockedJob.start();
    await job.passMinutes(1);
    job.stepClock(0, 5 * HOUR);
    await job.passMinutes(2);
    const { foreground: before } = { ...job.cluster.instances[0]!.center.traffic };
    await job.passMinutes(1);
    expect(job.cluster.instances[0]!.center.traffic.foreground - before).toBeLessThanOrEqual(3 + 2);
  });
});

describe('an instance whose clock was ahead within the tolerance and is set right', () => {
  it('runs items that it takes over at their fire times, before its clock has reached them', async () => {
    job = await ClockedJob.start({ instances: 2, cron: '* * * * * ?', shardingTotalCount: 4 });
    job.stepClock(0, 9 * SECOND);
    await job.advance(5 * SECOND);
    const owners = job.cluster.assignment(JOB);
    job.stepClock(0, 0);
    await job.advance(SECOND);
    await job.cluster.leave(1);
    const from = job.cluster.clock.wallNow();
    await job.advance(5 * SECOND);

    const gained = job.runs().filter(({ item, startedAt }) => owners.get(item) === 1 && startedAt >= from);
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
  it('runs the next fire time once its clock is right again, although the timer was set for a later one', async () => {
    job = await ClockedJob.start({ instances: 1 });
    job.stepClock(0, -2 * HOUR - 30 * SECOND);
    await job.passMinutes(3);
    job.stepClock(0, 0);
    await job.advance(5 * SECOND);
    const before = job.runs().length;
    await job.passMinutes(1);

    const since = job.runs().slice(before);
    const lateMs = since.map(({ fireTime, startedAt }) => startedAt - fireTime);
    expect(lateMs).toHaveLength(2);
    expect(Math.max(...lateMs)).toBeLessThan(SECOND);
  });

  it('begins late what nobody else has begun, reports the gap once, and is degraded meanwhile', async () => {
    job = await ClockedJob.start({ instances: 2 });
    await job.passMinutes(2);
    job.stepClock(1, -2 * HOUR);
    await job.cluster.leave(0);
    const before = job.runs().length;
    await job.passMinutes(60);

    expect(job.runs().length).toBe(before);
    expect(job.eventsOf(1, 'clock')).toMatchObject([{ state: 'behind' }]);
    expect(judgeReadiness(job.cluster.instances[1]!.runtime.status())).toMatchObject({
      status: 'degraded',
      details: { reasons: [expect.stringContaining("7200 s behind the registry's")] },
    });

    await job.passMinutes(65);
    const late = job.runs().slice(before);
    expect(late.length).toBeGreaterThan(2);
    const last = Math.max(
      ...job
        .runs()
        .slice(0, before)
        .map(({ fireTime }) => fireTime),
    );
    expect(late[0]!.fireTime).toBe(last + MINUTE);
    job.stepClock(1, 0);
    await job.passMinutes(2);
    expect(job.eventsOf(1, 'clock').map(({ state }) => state)).toEqual(['behind', 'trusted']);
    expect(judgeReadiness(job.cluster.instances[1]!.runtime.status()).status).toBe('up');
  });
});
