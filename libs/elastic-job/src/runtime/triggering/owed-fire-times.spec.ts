import { triggerAt } from '@test/support/unit/member.js';
import { minute, OwingJob } from '@test/support/unit/owing-job.js';
import { describe, expect, it } from 'vitest';
import { type MisfirePolicy, owedTimes, type TriggerOrigin } from '../../domain/index.js';

describe('the fire times that items owe', () => {
  it('are those since their last one, items of the same past together', async () => {
    const job = await OwingJob.of();

    expect(owedBy(job, 3, [0, 1, 9], [minute(1), minute(1), minute(2)])).toEqual(['0,1: 2,3', '9: 3']);
  });

  it('are none of an item that has got so far, or of which nobody can say since when it owes any', async () => {
    const job = await OwingJob.of();

    expect(owedBy(job, 3, [0, 1, 2], [minute(3), minute(4), undefined])).toEqual([]);
  });

  it('are none of a job without a schedule', async () => {
    const job = await OwingJob.of({ cron: undefined });

    expect(owedBy(job, 3, [0], [minute(1)])).toEqual([]);
  });

  it('begin when the settings were written, by the clock of this host', async () => {
    const job = await OwingJob.of();
    expect(owedBy(job, 2, [0], [0])).toEqual(['0: 1,2']);

    job.aheadMs = 61_000;

    expect(owedBy(job, 2, [0], [0])).toEqual(['0: 2']);
  });

  it('are none that came while the job was paused', async () => {
    const job = await OwingJob.of();
    job.excluded = [{ after: minute(1), until: minute(2) }];

    expect(owedBy(job, 3, [0], [minute(0)])).toEqual(['0: 1,3']);
  });

  it('are those before a pause, while that lasts', async () => {
    const job = await OwingJob.of();
    job.excluded = undefined;

    expect(owedBy(job, 2, [0], [minute(0)])).toEqual(['0: 1,2']);
  });

  it('are none that came while the server was disabled', async () => {
    const job = await OwingJob.of();
    const server = job.tree.paths.server(job.member.self.serverIp);
    await job.comeTo(1.5);
    await job.operator.set(server, 'DISABLED');
    await job.comeTo(2.5);
    await job.operator.set(server, 'ENABLED');
    await job.rest();

    expect(owedBy(job, 3, [0], [minute(0)])).toEqual(['0: 1,3']);
  });

  it('are none that came while the item was disabled, which concerns no other', async () => {
    const job = await OwingJob.of();
    const mark = job.tree.paths.mark(0, 'disabled');
    await job.comeTo(1.5);
    await job.operator.create(mark, '', 'PERSISTENT');
    await job.comeTo(2.5);
    await job.operator.delete(mark);
    await job.rest();

    expect(owedBy(job, 3, [0, 1], [minute(0), minute(0)])).toEqual(['0: 1,3', '1: 1,2,3']);
  });

  it('are none that a clock has begun which ran ahead', async () => {
    const job = await OwingJob.of();
    const early = { after: minute(1), until: minute(3), fireTimes: [minute(3)] };
    const target = { fireTime: minute(3), origin: 'schedule' };
    const record = { v: 1, run: 'r', by: 'x', target, lastScheduled: minute(1), early };
    await job.operator.create(job.tree.paths.record(1), JSON.stringify(record), 'PERSISTENT');
    await job.tree.loadRecords([1]);

    expect(owedBy(job, 4, [0, 1], [minute(1), minute(1)])).toEqual(['0: 2,3,4', '1: 2,4']);
  });
});

describe('the starts that items owe', () => {
  it('are those of the jobs before, whenever the settings were written', async () => {
    const job = await OwingJob.of({ after: ['import'], cron: undefined });
    await job.startAfterOthers(-9, 1, 2);

    expect(owedBy(job, 2, [0, 1], [0, minute(1)])).toEqual(['0: -9,1,2', '1: 2']);
  });

  it('are none before the first one, and none that came while the job was paused', async () => {
    const job = await OwingJob.of({ after: ['import'], cron: undefined });
    expect(owedBy(job, 2, [0], [0])).toEqual(['0: ']);

    await job.comeTo(5);
    await job.startAfterOthers(1, 2);
    job.excluded = [{ after: minute(4), until: minute(6) }];

    expect(owedBy(job, 2, [0], [0])).toEqual(['0: ']);
  });

  it('are none that came while the job was paused, on a host whose clock is an hour behind the others', async () => {
    const job = await OwingJob.of({ after: ['import'], cron: undefined });
    await job.comeTo(5);
    await job.startAfterOthers(1, 2);
    job.aheadMs = -60 * 60_000;
    job.excluded = [{ after: minute(4 - 60), until: minute(6 - 60) }];

    expect(owedBy(job, 2, [0], [0])).toEqual(['0: ']);
  });

  it("are none that came while the server was disabled, even if the host's clock is seconds behind", async () => {
    const job = await OwingJob.of({ after: ['import'], cron: undefined });
    const server = job.tree.paths.server(job.member.self.serverIp);
    await job.comeTo(5);
    await job.operator.set(server, 'DISABLED');
    await job.startAfterOthers(1, 2);
    await job.operator.set(server, 'ENABLED');
    await job.rest();
    job.aheadMs = -5_000;

    expect(owedBy(job, 2, [0], [0])).toEqual(['0: ']);
  });
});

/** Fire times owed up to a minute, one text for each group: `items: minutes`. */
function owedBy(job: OwingJob, until: number, items: readonly number[], after: readonly (number | undefined)[]) {
  const groups = job.owed.upTo(minute(until), new Map(items.map((item, index) => [item, after[index]])));
  return groups.map(({ items: some, owed }) => {
    const minutes = [...owedTimes(owed)].map((time) => (time - minute(0)) / 60_000);
    return `${some.join()}: ${minutes.join()}`;
  });
}

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
