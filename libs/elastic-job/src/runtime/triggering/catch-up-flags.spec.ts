import { describe, expect, it } from 'vitest';
import type { ExecutionLease } from '../../coordination/index.js';
import { JOB } from '@test/support/unit/member.js';
import type { RefusalCause } from '../../domain/index.js';
import { minute, OwingJob } from '@test/support/unit/owing-job.js';

describe('a trigger that meets items which still run', () => {
  it('flags them, and reports them as misfired', async () => {
    const job = await OwingJob.sinceMinute1();
    await hold(job, [0, 1], 2);

    job.misfireFlags.add([1]);
    await job.rest();

    expect(job.flags).toEqual([1]);
    expect(job.told).toMatchObject([{ kind: 'misfired', jobName: JOB, items: [1] }]);
    expect(job.told).toMatchObject([{ taskId: expect.stringMatching(`^${JOB}@-@1@-@`) }]);
  });

  it('flags with one more request all items of triggers that came during the first one', async () => {
    const job = await OwingJob.sinceMinute1();
    await hold(job, [0, 1], 2);
    const before = job.member.center.traffic.foreground;

    for (const item of [0, 1, 0, 1, 1]) job.misfireFlags.add([item]);
    await job.rest();

    expect(job.flags).toEqual([0, 1]);
    expect(job.told).toMatchObject([
      { kind: 'misfired', items: [0] },
      { kind: 'misfired', items: [1, 0] },
    ]);
    expect(job.member.center.traffic.foreground - before).toBe(2);
  });

  it.each<[string, number[], Parameters<typeof OwingJob.of>[0]]>([
    ['there are none', [], {}],
    ['the job catches up on nothing', [0], { misfire: false }],
    ['the job has no marks', [0], { monitorExecution: false, failover: false }],
  ])('flags nothing if %s', async (_, items, options) => {
    const job = await OwingJob.of(options);

    job.misfireFlags.add(items);
    await job.rest();

    expect(job).toMatchObject({ flags: [], told: [] });
  });

  it('lets an item catch up at once if it ended while its flag was set', async () => {
    const job = await OwingJob.sinceMinute1();
    await hold(job, [1], 2);
    await job.comeTo(3.1);

    job.misfireFlags.add([0, 1]);
    await job.rest();

    expect(job.runs).toEqual(['0@3']);
  });
});

describe('a misfire flag', () => {
  it('goes with the run that catches up on it', async () => {
    const job = await OwingJob.sinceMinute1();
    await job.comeTo(2.1);
    await job.setFlag(0);

    await job.wakeCatchUp();

    expect(job).toMatchObject({ runs: ['0@2', '1@2'], flags: [] });
  });

  it('goes if its item owes nothing, and that of an item which still runs stays', async () => {
    const job = await OwingJob.sinceMinute1();
    await hold(job, [1], 2);
    await job.ran(2, [0]);
    await job.comeTo(2.1);
    await job.setFlag(0);
    await job.setFlag(1);

    await job.wakeCatchUp();

    expect(job).toMatchObject({ runs: [], flags: [1] });
  });

  it('goes if somebody else was faster, and stays if the item is busy', async () => {
    const job = await OwingJob.sinceMinute1();
    await job.comeTo(2.1);
    await job.setFlag(0);
    await job.setFlag(1);
    const refused = new Map<number, RefusalCause>([
      [0, 'alreadyBegun'],
      [1, 'busy'],
    ]);
    job.begin = async () => ({ lease: undefined, refused, former: new Map() });

    await job.wakeCatchUp();

    expect(job.flags).toEqual([1]);
  });
});

describe('beside a Java peer', () => {
  it('only the items with a flag owe something, since no record shows its runs', async () => {
    const job = await OwingJob.sinceMinute1();
    await job.joinJava();
    await job.comeTo(3.1);
    await job.setFlag(1);

    await job.wakeCatchUp();

    expect(job).toMatchObject({ runs: ['1@3'], missed: [] });
  });

  it('nothing is begun while the leader waits for running items, but it is afterwards', async () => {
    const job = await OwingJob.sinceMinute1();
    await job.joinJava();
    await job.comeTo(2.1);
    await job.setFlag(0);
    await job.operator.create(job.tree.paths.reshardingFlag, '', 'PERSISTENT');
    await job.wakeCatchUp();
    expect(job.runs).toEqual([]);

    await job.operator.delete(job.tree.paths.reshardingFlag);
    await job.wakeCatchUp();

    expect(job.runs).toEqual(['0@2']);
  });

  it('nothing is given up in the records', async () => {
    const job = await OwingJob.sinceMinute1({ misfirePolicy: 'skip' });
    await job.joinJava();
    await job.setFlag(0);
    const before = await recordOf(job);
    await job.comeTo(2.6);

    await job.wakeCatchUp();

    expect(await recordOf(job)).toBe(before);
  });
});

it('begins what is owed during a reshard if there is no Java peer', async () => {
  const job = await OwingJob.sinceMinute1();
  await job.comeTo(2.1);
  await job.operator.create(job.tree.paths.reshardingFlag, '', 'PERSISTENT');

  await job.wakeCatchUp();

  expect(job.runs).toEqual(['0@2', '1@2']);
});

/** Keeps items running here for a minute. */
async function hold(job: OwingJob, items: readonly number[], count: number): Promise<ExecutionLease> {
  const { lease } = await job.member.begin(items, { fireTime: minute(count) });
  job.running.add(lease!);
  return lease!;
}

async function recordOf({ operator, tree }: OwingJob): Promise<string | undefined> {
  return (await operator.read(tree.paths.record(0)))?.data;
}
