import { afterEach, describe, expect, it } from 'vitest';
import { ClockedJob, HOUR, MINUTE, SECOND } from './support/clocked-job.js';

let job: ClockedJob;
afterEach(() => job.stop());

describe('records from the future', () => {
  it('block nobody: due fire times begin, the early one does not begin again, and it is reported', async () => {
    job = await ClockedJob.start({ instances: 1, clockToleranceMs: 6 * HOUR });
    await job.passMinutes(1);
    job.stepClock(0, 30 * MINUTE);
    await job.advance(10 * SECOND);
    const named = Math.max(...job.runs().map(({ fireTime }) => fireTime));
    await job.cluster.leave(0);
    await job.startAnother();
    const before = job.runs().length;
    await job.passMinutes(3);

    const since = job.runs().slice(before);
    expect(since.map(({ fireTime, startedAt }) => startedAt - fireTime).every((ms) => ms >= 0 && ms < MINUTE)).toBe(
      true,
    );
    expect(since).toHaveLength(2 * 3);
    expect(job.eventsOf(1, 'early')).toEqual([expect.objectContaining({ fireTime: named, items: [0, 1] })]);

    await job.passMinutes(35);
    const times = job
      .runs()
      .filter(({ item }) => item === 0)
      .map(({ fireTime }) => fireTime);
    expect(times.filter((time) => time === named)).toHaveLength(1);
    expect(new Set(times).size).toBe(times.length);
    expect(job.eventsOf(1, 'missed').filter(({ fireTime }) => fireTime === named)).toEqual([]);
  });

  it.each(['once', 'all', 'skip'] as const)('delay no later fire time under the policy %s', async (misfirePolicy) => {
    job = await ClockedJob.start({ instances: 1, clockToleranceMs: 6 * HOUR, misfirePolicy });
    job.stepClock(0, 10 * MINUTE);
    await job.passMinutes(1);
    await job.cluster.leave(0);
    await job.startAnother();
    await job.passMinutes(1);
    const before = job.runs().length;
    await job.passMinutes(15);
    expect(job.runs().length - before).toBe(2 * 14);
  });
});
