import { afterEach, describe, expect, it } from 'vitest';
import type { RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { ClockedJob, JOB, MINUTE, SECOND } from './support/clocked-job.js';
import { editConfig } from './support/operators.js';
import { operatorOf } from './support/registry-walk.js';

let job: ClockedJob;
afterEach(() => job.stop());

describe('a total that shrinks and grows again', () => {
  // The second instance gets items that the first one has begun.
  it.each([
    ['two seconds behind', { fromMinute: 0, offsets: [0, -2 * SECOND], goneMs: 500 }],
    ['further behind than the tolerance', { fromMinute: 0, offsets: [0, -MINUTE], goneMs: 30 * SECOND }],
    ['ahead by less than the tolerance', { fromMinute: -9 * SECOND, offsets: [9 * SECOND, 0], goneMs: 500 }],
  ])('begins no fire time twice, and loses none, if a clock is %s', async (_, { fromMinute, offsets, goneMs }) => {
    job = await ClockedJob.start({ instances: 2, shardingTotalCount: 4 });
    for (const [index, ms] of offsets.entries()) job.stepClock(index, ms);
    await job.passMinutes(2);
    const operator = await operatorOf(job.cluster);
    await job.advance(MINUTE + fromMinute - (job.cluster.clock.wallNow() % MINUTE));

    await job.advance(300);
    await setTotal(operator, 1);
    await job.advance(goneMs);
    await setTotal(operator, 8);
    await job.advance(MINUTE);
    await job.passMinutes(1);
    await job.advance(MINUTE);

    const begun = job.runs().map(({ item, fireTime }) => `${item} ${fireTime}`);
    expect(begun.filter((target, index) => begun.indexOf(target) !== index)).toEqual([]);
    const lasts = [0, 1].map((index) => job.runs().findLast(({ instance }) => instance === index)!.fireTime);
    const ofLast = job.runs().filter(({ fireTime }) => fireTime === Math.min(...lasts));
    expect(new Set(ofLast.map(({ item }) => item))).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7]));
  });

  it('keeps no trace of the ended items once they are there again', async () => {
    job = await ClockedJob.start({ instances: 2, shardingTotalCount: 4 });
    await job.passMinutes(2);
    const operator = await operatorOf(job.cluster);
    await setTotal(operator, 1);
    await job.advance(SECOND);
    const kept = (await operator.read(`/${JOB}/ended`))?.data;
    await setTotal(operator, 4);
    await job.advance(SECOND);

    expect(kept).toContain('"items":[[1,3]]');
    expect(await operator.read(`/${JOB}/ended`)).toBeUndefined();
  });

  it('owes new items no fire time that came while they were not there', async () => {
    job = await ClockedJob.start({ instances: 2, shardingTotalCount: 4, misfirePolicy: 'all' });
    await job.passMinutes(2);
    const operator = await operatorOf(job.cluster);
    await setTotal(operator, 1);
    await job.passMinutes(3);
    const before = job.runs().length;
    await setTotal(operator, 4);
    await job.passMinutes(1);

    const since = job.runs().slice(before);
    expect(since).toHaveLength(4);
    expect(new Set(since.map(({ item }) => item))).toEqual(new Set([0, 1, 2, 3]));
    expect([0, 1].flatMap((index) => job.eventsOf(index, 'missed'))).toEqual([]);
  });
});

function setTotal(operator: RegistryCenter, total: number): Promise<void> {
  return editConfig(operator, JOB, /^shardingTotalCount: .*$/m, `shardingTotalCount: ${total}`);
}
