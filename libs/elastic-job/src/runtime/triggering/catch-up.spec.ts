import { describe, expect, it } from 'vitest';
import { lastScheduledOf, type MisfirePolicy } from '../../domain/index.js';
import { minute, OwingJob } from '@test/support/unit/owing-job.js';

describe('fire times that nobody began', () => {
  it.each<[MisfirePolicy, string[], string[]]>([
    ['skip', [], ['0,1@2-2 skipped']],
    ['once', ['0@3', '1@3'], ['0,1@2-2 superseded']],
    ['all', ['0@2', '1@2', '0@3', '1@3'], []],
  ])('are run or reported as missed by the policy %s', async (misfirePolicy, runs, missed) => {
    const job = await OwingJob.sinceMinute1({ misfirePolicy });
    await job.comeTo(3.1);

    await job.wakeCatchUp();

    expect(job).toMatchObject({ runs, missed, failures: [] });
  });

  it('are begun for the items that owe them, and for no others', async () => {
    const job = await OwingJob.of({ misfirePolicy: 'all' });
    await job.ran(2, [0]);
    await job.ran(1, [1]);
    await job.comeTo(3.1);

    await job.wakeCatchUp();

    expect(job.runs).toEqual(['0@3', '1@2', '1@3']);
  });

  it('are begun in the order of items under the policy once, even if items owe different ones', async () => {
    const job = await OwingJob.of({ shardingTotalCount: 3 });
    await job.ran(2, [0, 2]);
    await job.ran(1, [1]);
    await job.comeTo(3.1);

    await job.wakeCatchUp();

    expect(job.runs).toEqual(['0@3', '1@3', '2@3']);
  });

  it('are looked up again if the records changed while they were read', async () => {
    const job = await OwingJob.sinceMinute1();
    await job.comeTo(2.1);
    job.changeRecordsMeanwhile();

    await job.wakeCatchUp();

    expect(job.runs).toEqual(['0@2', '1@2']);
  });

  it('are recorded as done if nobody owes them', async () => {
    const job = await OwingJob.sinceMinute1();
    job.excluded = [{ after: minute(1), until: minute(2) }];
    await job.comeTo(2.1);

    await job.wakeCatchUp();

    expect([await lastScheduled(job, 0), await lastScheduled(job, 1)]).toEqual([minute(2), minute(2)]);
    expect(job).toMatchObject({ runs: [], missed: [] });
  });
});

describe('nothing is caught up on', () => {
  it.each<[string, (job: OwingJob) => unknown]>([
    ['the instance leaves', (job) => job.gate.close()],
    ['the job is paused', (job) => void (job.excluded = undefined)],
    ['its reaction is stopped', (job) => job.catchUp.stop()],
    ['no item is its own', (job) => job.operator.set(job.tree.paths.server(job.member.self.serverIp), 'DISABLED')],
  ])('while %s', async (_, act) => {
    const job = await OwingJob.sinceMinute1();
    await job.comeTo(2.1);
    await act(job);

    await job.wakeCatchUp();

    expect(job.runs).toEqual([]);
  });

  it('while the clock is not to be trusted, and a fire time that was refused for it is not afterwards', async () => {
    const job = await OwingJob.sinceMinute1({ maxTimeDiffSeconds: 5 });
    await job.comeTo(2.1);
    job.aheadMs = 6_000;
    await job.judgeClock(1.5);
    await job.wakeCatchUp();
    expect(job.runs).toEqual([]);

    await job.judgeClock(2);
    job.aheadMs = 0;
    await job.judgeClock(2.1);
    await job.wakeCatchUp();
    expect(job.runs).toEqual([]);

    await job.comeTo(3.1);
    await job.wakeCatchUp();
    expect(job).toMatchObject({ runs: ['0@3', '1@3'], missed: ['0,1@2-2 skipped'] });
  });

  it('of a job without marks, even if its begin has failed: nobody can say that it did not run', async () => {
    const job = await OwingJob.of({ monitorExecution: false, failover: false });
    await job.comeTo(1.1);
    await job.failBegins(1);

    await job.wakeCatchUp();

    expect(job.runs).toEqual([]);
  });
});

describe('items that have no record yet', () => {
  it('owe a fire time whose begin has failed', async () => {
    const job = await OwingJob.of();
    await job.comeTo(1.1);
    job.catchUp.handles(minute(1));

    job.catchUp.owe(minute(1));
    job.catchUp.handled(minute(1));
    await job.rest();

    expect(job.runs).toEqual(['0@1', '1@1']);
  });

  it('owe all fire times since the first one that was refused, until they have a record', async () => {
    const job = await OwingJob.of({ misfirePolicy: 'all' });
    await job.ran(1, [1]);
    await job.comeTo(2.1);
    await job.failBegins(1, 2);

    await job.wakeCatchUp();

    expect(job.runs).toEqual(['0@1', '1@2', '0@2']);
  });

  it('owe nothing if nothing was refused, or a Java peer may have run it', async () => {
    const job = await OwingJob.of();
    await job.comeTo(2.1);
    await job.wakeCatchUp();
    expect(job.runs).toEqual([]);

    await job.failBegins(2);
    job.owed.leaveToPeers();
    await job.wakeCatchUp();
    expect(job.runs).toEqual([]);
  });

  it('owe the last fire time if they have the misfire flag', async () => {
    const job = await OwingJob.of();
    await job.comeTo(2.1);
    await job.setFlag(1);

    await job.wakeCatchUp();

    expect(job.runs).toEqual(['1@2']);
  });
});

it('gives up the last fire time by a timer if it is too late for the policy skip', async () => {
  const job = await OwingJob.sinceMinute1({ misfirePolicy: 'skip' });
  await job.comeTo(2.1);
  const timers = job.registry.clock.pendingTimers;
  await job.wakeCatchUp();
  await job.wakeCatchUp();
  expect([job.missed, job.registry.clock.pendingTimers]).toEqual([[], timers + 1]);

  await job.comeTo(2.6);
  expect(job.missed).toEqual(['0,1@2-2 skipped']);

  await job.comeTo(3.1);
  await job.wakeCatchUp();
  job.catchUp.stop();
  expect(job.registry.clock.pendingTimers).toBe(timers);
});

async function lastScheduled({ tree }: OwingJob, item: number): Promise<number | undefined> {
  await tree.loadRecords([item]);
  return lastScheduledOf(tree.record(item)!.stored);
}
