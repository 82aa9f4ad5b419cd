import { afterEach, describe, expect, it } from 'vitest';
import type { TestJobHandler } from '../../libs/elastic-job/src/testing/index.js';
import type { JobEvent } from '../../libs/elastic-job/src/tracing/index.js';
import { child, CHILDREN, DependentJobs, MINUTE, parent } from './support/dependent-jobs.js';
import { ask, editConfig } from './support/operators.js';
import { expectOncePerTarget, itemsOf, range } from './support/run-checks.js';

let jobs: DependentJobs;
afterEach(() => jobs.stop());

describe('a job that is started after another one', () => {
  it('given a parent on two instances, when all its items have succeeded, then each item of the child runs once, for the same fire time', async () => {
    jobs = await DependentJobs.start([parent(), child()]);

    await jobs.untilNextMinute(5_000);

    expect(itemsOf(jobs.runs('import'))).toEqual(range(4));
    expect(itemsOf(jobs.runs('report'))).toEqual(CHILDREN);
    expect(new Set([...jobs.runs('import'), ...jobs.runs('report')].map(({ fireTime }) => fireTime)).size).toBe(1);
    expect(new Set(jobs.runs('report').map(({ source }) => source))).toEqual(new Set(['NORMAL_TRIGGER']));
  });

  it('given items of the parent that end one after the other, when the last one ends, then the child begins, and not before', async () => {
    jobs = await DependentJobs.start([
      parent({ handler: ({ shardingItem }, { clock }) => clock.sleep(1_000 + 2_000 * shardingItem) }),
      child(),
    ]);

    await jobs.untilNextMinute(6_500);
    expect(jobs.runs('report')).toEqual([]);
    await jobs.advance(1_000);

    expect(itemsOf(jobs.runs('report'))).toEqual(CHILDREN);
  });

  it('given an item that fails, when the others succeed, then the child is not started, one event tells so, and the next run starts it again', async () => {
    let fails = true;
    const handler: TestJobHandler = async ({ shardingItem }, { clock }) => {
      await clock.sleep(100);
      if (fails && shardingItem === 2) throw new Error('no data');
    };
    jobs = await DependentJobs.start([parent({ handler }), child()]);

    await jobs.untilNextMinute(5_000);
    expect(jobs.runs('report')).toEqual([]);
    expect(unmet()).toMatchObject([{ jobName: 'report', parent: 'import', reason: 'failed' }]);
    fails = false;
    await jobs.untilNextMinute(5_000);

    expect(itemsOf(jobs.runs('report'))).toEqual(CHILDREN);
    expect(unmet()).toHaveLength(1);
  });

  it('given a disabled item, when the others have succeeded, then it holds nothing back', async () => {
    jobs = await DependentJobs.start([parent(), child()]);
    await jobs.operator.create('/import/sharding/1/disabled', '', 'PERSISTENT');

    await jobs.untilNextMinute(5_000);

    expect(itemsOf(jobs.runs('import'))).toEqual([0, 2, 3]);
    expect(itemsOf(jobs.runs('report'))).toEqual(CHILDREN);
  });

  it("given an operator's trigger of the parent, when its items have succeeded, then nothing is started; one of the child runs it", async () => {
    jobs = await DependentJobs.start([parent(), child()]);

    await ask(jobs.cluster, jobs.operator, 'import', { id: 'now' });
    await jobs.advance(3_000);
    expect(itemsOf(jobs.runs('import'))).toEqual(range(4));
    expect(jobs.runs('report')).toEqual([]);
    await ask(jobs.cluster, jobs.operator, 'report', { id: 'now' });
    await jobs.advance(3_000);
    expect(itemsOf(jobs.runs('report'))).toEqual(CHILDREN);
    await jobs.untilNextMinute(5_000);

    expect(itemsOf(jobs.runs('report'))).toEqual([...CHILDREN, ...CHILDREN].toSorted((a, b) => a - b));
  });

  it.each([
    ['once', 2],
    ['all', 3],
  ] as const)(
    'given a child that still runs when it is started twice more, with misfirePolicy %s, when it is free, then it has run %i times',
    async (misfirePolicy, times) => {
      let isSlow = true;
      const handler: TestJobHandler = (_context, { clock }) => clock.sleep(isSlow ? 2.5 * MINUTE : 100);
      jobs = await DependentJobs.start([parent(), child({ shardingTotalCount: 1, handler, misfirePolicy })]);

      await jobs.untilNextMinute(30_000);
      isSlow = false;
      await jobs.advance(2 * MINUTE + 15_000);

      expect(jobs.runs('report')).toHaveLength(times);
      expect(jobs.runs('report').at(-1)!.fireTime).toBe(jobs.runs('import').at(-1)!.fireTime);
      expectOncePerTarget(jobs.runs('report'));
    },
  );

  it('given a child that is busy while it is started 150 times, then what it misses is told in one event', async () => {
    let isSlow = true;
    const handler: TestJobHandler = (_context, { clock }) => clock.sleep(isSlow ? 150 * MINUTE + 30_000 : 100);
    jobs = await DependentJobs.start([parent({ shardingTotalCount: 1 }), child({ shardingTotalCount: 1, handler })], 1);

    await jobs.untilNextMinute(30_000);
    isSlow = false;
    await jobs.advance(150 * MINUTE + 20_000);

    const first = jobs.runs('import')[0]!.fireTime;
    expect(jobs.runs('report').map(({ fireTime }) => (fireTime - first) / MINUTE)).toEqual([0, 150]);
    const missed = jobs.cluster.events(0).filter((event) => event.kind === 'missed');
    expect(missed).toMatchObject([
      { jobName: 'report', items: [0], count: 149, reason: 'superseded', since: first + MINUTE },
    ]);
  });

  it('given more items of the child than before, when they are new, then they have no part in what was started before', async () => {
    jobs = await DependentJobs.start([parent(), child()]);
    await jobs.untilNextMinute(5_000);

    await editConfig(jobs.operator, 'report', /^shardingTotalCount: .*$/m, 'shardingTotalCount: 5');
    await jobs.advance(10_000);
    expect(itemsOf(jobs.runs('report'))).toEqual(CHILDREN);
    await jobs.untilNextMinute(5_000);

    expect(itemsOf(jobs.runs('report').slice(3))).toEqual(range(5));
  });
});

function unmet(): readonly JobEvent[] {
  return [...jobs.cluster.instances.keys()].flatMap((instance) =>
    jobs.cluster.events(instance).filter(({ kind }) => kind === 'dependency-not-met'),
  );
}
