import { afterEach, describe, expect, it } from 'vitest';
import type { TestJobHandler } from '../../libs/elastic-job/src/testing/index.js';
import type { JobEvent } from '../../libs/elastic-job/src/tracing/index.js';
import { child, CHILDREN, DependentJobs, MINUTE, parent } from './support/dependent-jobs.js';
import { ask, editConfig } from './support/operators.js';
import { expectOncePerTarget, itemsOf, range } from './support/run-checks.js';

let jobs: DependentJobs;
afterEach(() => jobs.stop());

describe('a job that is started after another one', () => {
  it("runs each item of the child once, for the parent's fire time, when all items have succeeded", async () => {
    jobs = await DependentJobs.start([parent(), child()]);

    await jobs.untilNextMinute(5_000);

    expect(itemsOf(jobs.runs('import'))).toEqual(range(4));
    expect(itemsOf(jobs.runs('report'))).toEqual(CHILDREN);
    expect(new Set([...jobs.runs('import'), ...jobs.runs('report')].map(({ fireTime }) => fireTime)).size).toBe(1);
    expect(new Set(jobs.runs('report').map(({ source }) => source))).toEqual(new Set(['NORMAL_TRIGGER']));
  });

  it('begins the child when the last item of the parent ends, and not before', async () => {
    jobs = await DependentJobs.start([
      parent({ handler: ({ shardingItem }, { clock }) => clock.sleep(1_000 + 2_000 * shardingItem) }),
      child(),
    ]);

    await jobs.untilNextMinute(6_500);
    expect(jobs.runs('report')).toEqual([]);
    await jobs.advance(1_000);

    expect(itemsOf(jobs.runs('report'))).toEqual(CHILDREN);
  });

  it('does not start the child if an item has failed, reports it once, and starts it after the next run', async () => {
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

  it('does not wait for a disabled item of the parent', async () => {
    jobs = await DependentJobs.start([parent(), child()]);
    await jobs.operator.create('/import/sharding/1/disabled', '', 'PERSISTENT');

    await jobs.untilNextMinute(5_000);

    expect(itemsOf(jobs.runs('import'))).toEqual([0, 2, 3]);
    expect(itemsOf(jobs.runs('report'))).toEqual(CHILDREN);
  });

  it("does not start the child after an operator's trigger of the parent; a trigger of the child runs", async () => {
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
    'with misfirePolicy %s, a child that is started twice more while it runs has run %i times',
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

  it('reports in one event all starts that a busy child misses', async () => {
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

  it('runs new items of the child only for starts that come after them', async () => {
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
