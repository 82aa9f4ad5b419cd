import { describe, expect, it } from 'vitest';
import { triggerAt } from '@test/support/unit/member.js';
import type { MisfirePolicy, TriggerOrigin } from '../../domain/index.js';
import { minute, OwingJob } from '@test/support/unit/owing-job.js';

const SINCE_MINUTE_1 = new Map([
  [0, minute(1)],
  [1, minute(1)],
]);

describe('a begin that has passed by fire times', () => {
  it.each<[MisfirePolicy, string]>([
    ['skip', 'skipped'],
    ['once', 'superseded'],
    ['all', 'limit'],
  ])('tells those before its own once, and counts them for each item: %s', async (misfirePolicy, reason) => {
    const job = await OwingJob.of({ misfirePolicy });

    job.missedFireTimes.itemsBegun({ kind: 'ItemsBegun', trigger: triggerAt(minute(4)), former: SINCE_MINUTE_1 });

    expect(job).toMatchObject({ missed: [`0,1@2-3 ${reason}`], missedCount: 4 });
  });

  it.each<[string, TriggerOrigin, number | undefined]>([
    ['was of an operator', 'manual:a', minute(1)],
    ['came next', 'schedule', minute(3)],
    ['was the first one', 'schedule', undefined],
  ])('tells nothing if it %s', async (_, origin, since) => {
    const job = await OwingJob.of();

    job.missedFireTimes.itemsBegun({
      kind: 'ItemsBegun',
      trigger: triggerAt(minute(4), { origin }),
      former: new Map([[0, since]]),
    });

    expect(job).toMatchObject({ missed: [], missedCount: 0 });
  });

  it('tells what one item has passed by beside another that comes next', async () => {
    const job = await OwingJob.of();
    const former = new Map([
      [0, minute(3)],
      [1, minute(1)],
    ]);

    job.missedFireTimes.itemsBegun({ kind: 'ItemsBegun', trigger: triggerAt(minute(4)), former });

    expect(job).toMatchObject({ missed: ['1@2-3 superseded'], missedCount: 2 });
  });

  it('tells nothing beside Java, whose runs are in no record', async () => {
    const job = await OwingJob.of();
    await job.joinJava();

    job.missedFireTimes.itemsBegun({ kind: 'ItemsBegun', trigger: triggerAt(minute(4)), former: SINCE_MINUTE_1 });

    expect(job.missed).toEqual([]);
  });

  it('tells apart what was refused since the clock was not to be trusted', async () => {
    const job = await OwingJob.of({ maxTimeDiffSeconds: 5 });
    job.aheadMs = 6_000;
    await job.judgeClock(2);

    job.missedFireTimes.itemsBegun({ kind: 'ItemsBegun', trigger: triggerAt(minute(5)), former: SINCE_MINUTE_1 });

    expect(job).toMatchObject({ missed: ['0,1@2-2 skipped', '0,1@3-4 superseded'], missedCount: 6 });
  });

  it('tells what was refused up to its own fire time only', async () => {
    const job = await OwingJob.of({ maxTimeDiffSeconds: 5 });
    job.aheadMs = 6_000;
    await job.judgeClock(9);

    job.missedFireTimes.itemsBegun({ kind: 'ItemsBegun', trigger: triggerAt(minute(4)), former: SINCE_MINUTE_1 });

    expect(job.missed).toEqual(['0,1@2-3 skipped']);
  });
});

describe('fire times that were given up', () => {
  it('are told for each item up to its own, and with it', async () => {
    const job = await OwingJob.of({ misfirePolicy: 'skip' });
    const upTo = new Map([
      [0, minute(2)],
      [1, minute(3)],
    ]);

    job.missedFireTimes.gaveUp(upTo, SINCE_MINUTE_1);

    expect(job).toMatchObject({ missed: ['0@2-2 skipped', '1@2-3 skipped'], missedCount: 3 });
  });

  it('are told of the items alone that the registry has taken them for', async () => {
    const job = await OwingJob.of({ misfirePolicy: 'skip' });
    const upTo = new Map([0, 1].map((item) => [item, minute(2)]));

    job.missedFireTimes.gaveUp(upTo, new Map([[1, minute(1)]]));

    expect(job.missed).toEqual(['1@2-2 skipped']);
  });
});
