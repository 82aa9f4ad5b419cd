import { describe, expect, it } from 'vitest';
import { lastScheduledOf, type MisfirePolicy } from '../../domain/index.js';
import { NoAuthError } from '../../registry/index.js';
import { minute, OwingJob } from '@test/support/unit/owing-job.js';

describe('fire times that nobody began', () => {
  it.each<[MisfirePolicy, string[], string[]]>([
    ['skip', [], ['0,1@2-2 skipped']],
    ['once', ['0@3', '1@3'], ['0,1@2-2 superseded']],
    ['all', ['0@2', '1@2', '0@3', '1@3'], []],
  ])('given the policy %s, when the instance looks, then that is run and told', async (misfirePolicy, runs, missed) => {
    const job = await OwingJob.sinceMinute1({ misfirePolicy });
    await job.comeTo(3.1);

    await job.wakeCatchUp();

    expect(job).toMatchObject({ runs, missed, failures: [] });
  });

  it('given items that owe different ones, when the instance looks, then each is begun for its own', async () => {
    const job = await OwingJob.of({ misfirePolicy: 'all' });
    await job.ran(2, [0]);
    await job.ran(1, [1]);
    await job.comeTo(3.1);

    await job.wakeCatchUp();

    expect(job.runs).toEqual(['0@3', '1@2', '1@3']);
  });

  it('given items that owe different ones, when each is begun for its last, then they begin in order', async () => {
    const job = await OwingJob.of({ shardingTotalCount: 3 });
    await job.ran(2, [0, 2]);
    await job.ran(1, [1]);
    await job.comeTo(3.1);

    await job.wakeCatchUp();

    expect(job.runs).toEqual(['0@3', '1@3', '2@3']);
  });

  it('given a begin that fails, when others are owed, then those are begun, and the failure is told', async () => {
    const job = await OwingJob.of({ misfirePolicy: 'all' });
    await job.ran(2, [0]);
    await job.ran(1, [1]);
    await job.comeTo(3.1);
    const { begin } = job;
    const fault = new Error('broken');
    job.begin = async (trigger, items) => {
      if (trigger.fireTime === minute(3)) throw fault;
      return begin(trigger, items);
    };
    job.isSlow = true;

    await job.wakeCatchUp();

    expect(job).toMatchObject({ runs: ['1@2'], failures: [fault] });
  });

  it('given an item that this client may not write, when the others are begun, then it follows', async () => {
    const job = await OwingJob.sinceMinute1();
    await job.comeTo(2.1);
    const { begin } = job;
    const error = new NoAuthError('/sharding/1');
    job.begin = async (trigger) => {
      job.begin = begin;
      return { ...(await begin(trigger, [0])), blocked: { items: [1], error } };
    };
    job.isSlow = true;

    await job.wakeCatchUp();

    expect(job).toMatchObject({ runs: ['0@2', '1@2'], failures: [error] });
  });

  it('given records that changed while they were read, when the instance looks, then it looks again', async () => {
    const job = await OwingJob.sinceMinute1();
    await job.comeTo(2.1);
    job.changeRecordsMeanwhile();

    await job.wakeCatchUp();

    expect(job.runs).toEqual(['0@2', '1@2']);
  });

  it('given nobody owes them, when the instance looks, then the record says that they are done', async () => {
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
    job.catchUp.owe(minute(1));

    await job.wakeCatchUp();

    expect(job.runs).toEqual([]);
  });
});

describe('items that have no record yet', () => {
  it('owe a fire time whose begin has failed', async () => {
    const job = await OwingJob.of();
    await job.comeTo(1.1);
    const begun = job.catchUp.whileHandling(minute(1), () => Promise.reject(new Error('refused')));

    await expect(begun).rejects.toThrow('refused');
    await job.rest();

    expect(job.runs).toEqual(['0@1', '1@1']);
  });

  it('owe all fire times since the first one that was refused, until they have a record', async () => {
    const job = await OwingJob.of({ misfirePolicy: 'all' });
    await job.ran(1, [1]);
    await job.comeTo(2.1);
    job.catchUp.owe(minute(1));
    job.catchUp.owe(minute(2));

    await job.wakeCatchUp();

    expect(job.runs).toEqual(['0@1', '1@2', '0@2']);
  });

  it('owe nothing if nothing was refused, or a Java peer may have run it', async () => {
    const job = await OwingJob.of();
    await job.comeTo(2.1);
    await job.wakeCatchUp();
    expect(job.runs).toEqual([]);

    job.catchUp.owe(minute(2));
    job.catchUp.leaveToPeers();
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

it('given the policy skip, when the last fire time is too late, then it is given up without an event', async () => {
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
