import { describe, expect, it } from 'vitest';
import { SUCCEEDED, triggerAt } from '@test/support/unit/member.js';
import { minute, OwingJob } from '@test/support/unit/owing-job.js';

describe("an operator's trigger", () => {
  it('goes first, and what its item owes follows once that is free', async () => {
    const job = await OwingJob.sinceMinute1();
    await job.comeTo(2.1);
    job.awaited.add(0);
    await job.wakeCatchUp();
    expect(job.runs).toEqual(['1@2']);

    job.awaited.clear();
    const { lease } = await job.member.begin([0], { fireTime: minute(2.1), origin: 'manual:a' });
    job.running.add(lease!);
    await job.wakeCatchUp();
    lease!.settle(0, SUCCEEDED);
    await lease!.settled();
    job.running.endLease(0, lease!);
    expect(job.runs).toEqual(['1@2']);

    job.catchUp.triggersBegun();
    await job.rest();

    expect(job.runs).toEqual(['1@2', '0@2']);
  });

  it('hides no fire time that came while it ran', async () => {
    const job = await OwingJob.of({ misfirePolicy: 'all' });
    await job.ran(0.5, [0, 1], { origin: 'manual:a' });
    await job.comeTo(2.1);

    await job.wakeCatchUp();

    expect(job.runs).toEqual(['0@1', '1@1', '0@2', '1@2']);
  });
});

it('waits with what an item owes until its handler has returned, even after its run was recorded', async () => {
  const job = await OwingJob.sinceMinute1();
  const { lease } = await job.member.begin([0], { fireTime: minute(2) });
  job.running.add(lease!);
  lease!.settle(0, SUCCEEDED);
  await lease!.settled();
  await job.comeTo(3.1);
  await job.wakeCatchUp();
  expect(job.runs).toEqual(['1@3']);

  job.running.endLease(0, lease!);
  await job.wakeCatchUp();

  expect(job.runs).toEqual(['1@3', '0@3']);
});

it('begins nothing of an item that another instance runs for this one', async () => {
  const job = await OwingJob.sinceMinute1();
  await job.operator.create(job.tree.paths.mark(0, 'running'), 'another', 'PERSISTENT');
  await job.comeTo(2.1);
  const begun: number[] = [];
  const { begin } = job;
  job.begin = (trigger, items) => {
    begun.push(...items);
    return begin(trigger, items);
  };

  await job.wakeCatchUp();

  expect(begun).toEqual([1]);
});

describe('a fire time that is being begun', () => {
  it('is not begun a second time, and is caught up on once that has come to nothing', async () => {
    const job = await OwingJob.sinceMinute1();
    await job.comeTo(2.1);
    const begin = pending(job, 2);
    await job.wakeCatchUp();
    expect(job.runs).toEqual([]);

    await begin.end();

    expect(job.runs).toEqual(['0@2', '1@2']);
  });

  it('is left alone although the one before it has ended meanwhile', async () => {
    const job = await OwingJob.sinceMinute1();
    await job.comeTo(3.1);
    const [second, third] = [pending(job, 2), pending(job, 3)];
    await second.end();
    await job.wakeCatchUp();
    expect(job.runs).toEqual([]);

    await third.end();

    expect(job.runs).toEqual(['0@3', '1@3']);
  });

  it('is given up after its begin has ended if it is too late for the policy skip', async () => {
    const job = await OwingJob.sinceMinute1({ misfirePolicy: 'skip' });
    const begin = pending(job, 2);
    await job.comeTo(2.6);
    await job.wakeCatchUp();
    expect(job.missed).toEqual([]);

    await begin.end();

    expect(job.missed).toEqual(['0,1@2-2 skipped']);
  });

  it('does not keep the policy skip from giving up an earlier one at once', async () => {
    const job = await OwingJob.sinceMinute1({ misfirePolicy: 'skip' });
    await job.comeTo(3.1);
    pending(job, 3);

    await job.wakeCatchUp();

    expect(job.missed).toEqual(['0,1@2-2 skipped']);
  });
});

describe('the items of a trigger, where all is caught up on', () => {
  it('are parted: those that owe older fire times come after these', async () => {
    const job = await OwingJob.of({ misfirePolicy: 'all' });
    await job.ran(1, [0]);
    await job.ran(2, [1]);
    await job.comeTo(3.1);
    job.changeRecordsMeanwhile();

    expect(await job.catchUp.inOrder(triggerAt(minute(3)), [0, 1])).toEqual({ ready: [1], behind: [0] });
    await job.rest();

    expect(job.runs).toEqual(['0@2', '1@3', '0@3']);
  });

  it('are all ready if none owes anything', async () => {
    const job = await OwingJob.of({ misfirePolicy: 'all' });
    await job.ran(2);
    await job.comeTo(3.1);

    expect(await job.catchUp.inOrder(triggerAt(minute(3)), [0, 1])).toEqual({ ready: [0, 1], behind: [] });
  });

  it.each<[string, Parameters<typeof OwingJob.of>[0]]>([
    ['the policy is another one', { misfirePolicy: 'once' }],
    ['the job has no marks', { misfirePolicy: 'all', monitorExecution: false, failover: false }],
  ])('are all ready if %s', async (_, options) => {
    const job = await OwingJob.of(options);
    await job.failBegins(1);
    await job.comeTo(3.1);

    expect(await job.catchUp.inOrder(triggerAt(minute(3)), [0, 1])).toEqual({ ready: [0, 1], behind: [] });
  });
});

describe('a job that is started after others', () => {
  it('owes each start from the first one on, even one that is yet to come by this clock', async () => {
    const job = await OwingJob.of({ after: ['import'], cron: undefined, misfirePolicy: 'all' });
    await job.startAfterOthers(1, 9);

    await job.wakeCatchUp();

    expect(job.runs).toEqual(['0@1', '1@1', '0@9', '1@9']);
  });

  it('is begun for a start that comes after an operator has triggered the job for a later instant', async () => {
    const job = await OwingJob.of({ after: ['import'], cron: undefined });
    await job.comeTo(8);
    await job.ran(8, [0, 1], { origin: 'manual:a' });
    await job.startAfterOthers(5);

    await job.wakeCatchUp();

    expect(job.runs).toEqual(['0@5', '1@5']);
  });

  it('is begun once for each start', async () => {
    const job = await OwingJob.of({ after: ['import'], cron: undefined });
    await job.startAfterOthers(1);
    await job.wakeCatchUp();
    await job.startAfterOthers(1, 2);

    await job.wakeCatchUp();

    expect(job.runs).toEqual(['0@1', '1@1', '0@2', '1@2']);
  });
});

/** A begin of both items that is under way and will begin nothing. */
function pending(job: OwingJob, count: number): { end(): Promise<void> } {
  job.catchUp.handles(minute(count));
  const end = async (): Promise<void> => {
    job.catchUp.handled(minute(count));
    await job.rest();
  };
  return { end };
}
