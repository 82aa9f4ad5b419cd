import { describe, expect, it } from 'vitest';
import { owedTimes } from '../../domain/index.js';
import { minute, OwingJob } from '@test/support/unit/owing-job.js';

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
