import { afterEach, describe, expect, it } from 'vitest';
import type { RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import type { TestJobHandler } from '../../libs/elastic-job/src/testing/index.js';
import type { JobEvent } from '../../libs/elastic-job/src/tracing/index.js';
import { child, CHILDREN, DependentJobs, MINUTE, parent } from './support/dependent-jobs.js';
import { expectOncePerTarget, itemsOf } from './support/run-checks.js';

let jobs: DependentJobs;
afterEach(() => jobs.stop());

describe('crashes around a start', () => {
  it('starts the child once if an instance dies before its last item has ended', async () => {
    jobs = await DependentJobs.start([
      parent({ handler: ({ shardingItem }, { clock }) => clock.sleep(shardingItem === 3 ? 5_000 : 100) }),
      child(),
    ]);
    await jobs.untilNextMinute(1_000);
    jobs.cluster.crash(jobs.cluster.assignment('import').get(3)!);

    await jobs.advance(30_000);

    expect(
      jobs
        .runs('import')
        .filter(({ source }) => source === 'FAILOVER')
        .map(({ item }) => item),
    ).toEqual([3]);
    expect(itemsOf(jobs.runs('report'))).toEqual(CHILDREN);
    expectOncePerTarget(jobs.runs('report'));
  });

  it('runs the child on new instances if all others died after the start was written', async () => {
    jobs = await DependentJobs.start([parent(), child()]);
    const started = startWritten(jobs.operator);
    await jobs.untilNextMinute(0);
    await jobs.cluster.clock.advanceUntil(started);
    for (const instance of jobs.cluster.instances.keys()) jobs.cluster.crash(instance);
    const before = jobs.runs('report').length;

    await jobs.cluster.join();
    await jobs.advance(20_000);

    const after = jobs.runs('report');
    expect(new Set(itemsOf(after))).toEqual(new Set(CHILDREN));
    expect(after.length).toBeLessThanOrEqual(before + CHILDREN.length);
    expect(new Set(after.map(({ fireTime }) => fireTime)).size).toBe(1);
    expectOncePerTarget(after);
  });

  it('runs an item for each later start although a wrong clock began one start early', async () => {
    jobs = await DependentJobs.start([parent(), child({ misfirePolicy: 'all' })]);
    await jobs.untilNextMinute(5_000);
    const { fireTime } = jobs.runs('report')[0]!;
    const path = '/report/sharding/1/record';
    const record = JSON.parse((await jobs.operator.read(path))!.data);
    const before = fireTime - MINUTE;
    const early = { after: before, until: fireTime, fireTimes: [fireTime] };
    await jobs.operator.set(path, JSON.stringify({ ...record, target: { ...record.target, fireTime: before }, early }));

    await jobs.untilNextMinute(5_000);
    await jobs.untilNextMinute(5_000);

    const fireTimes = jobs.runs('report').flatMap((run) => (run.item === 1 ? [run.fireTime] : []));
    expect(fireTimes).toEqual([fireTime, fireTime + MINUTE, fireTime + 2 * MINUTE]);
  });

  it("runs each item of the child once if the child's leader dies while the parent runs", async () => {
    jobs = await DependentJobs.start([parent({ handler: (_context, { clock }) => clock.sleep(5_000) }), child()], 3);
    await jobs.untilNextMinute(1_000);
    const leader = (await jobs.operator.read('/report/leader/election/instance'))!.data;
    jobs.cluster.crash(jobs.cluster.instances.findIndex(({ instanceIds }) => instanceIds.has(leader)));

    await jobs.advance(40_000);

    expect(itemsOf(jobs.runs('report'))).toEqual(CHILDREN);
    expectOncePerTarget(jobs.runs('report'));
  });

  it('runs a start that came while a dead instance owned the item once its run here ends', async () => {
    const moved = 2;
    const runsOfMoved = () => jobs.runs('report').filter(({ item }) => item === moved);
    const handler: TestJobHandler = ({ shardingItem }, { clock }) =>
      clock.sleep(shardingItem === moved && runsOfMoved().length === 1 ? 80_000 : 100);
    jobs = await DependentJobs.start([parent({ shardingTotalCount: 1, staticSharding: true }), child({ handler })], 1);
    await jobs.untilNextMinute(1_000);
    await jobs.cluster.join();
    await jobs.untilNextMinute(-1_000);
    expect(jobs.cluster.assignment('report').get(moved)).toBe(1);
    expect(jobs.cluster.assignment('import').get(0)).toBe(0);

    jobs.cluster.crash(1);
    await jobs.advance(55_000);

    expect(runsOfMoved()).toMatchObject([{ source: 'NORMAL_TRIGGER' }, { source: 'MISFIRE' }]);
    expectOncePerTarget(jobs.runs('report'));
  });

  it('runs a start that waits for a disabled server on an instance that joins', async () => {
    jobs = await DependentJobs.start([parent(), child()], 1);
    await jobs.operator.set('/report/servers/10.0.0.1', 'DISABLED');
    await jobs.untilNextMinute(5_000);
    expect(jobs.runs('report')).toEqual([]);

    await jobs.cluster.join();
    await jobs.advance(10_000);

    expect(itemsOf(jobs.runs('report'))).toEqual(CHILDREN);
  });

  it('tells of no fire time for which no item of the parent began: the missed event of the parent does', async () => {
    jobs = await DependentJobs.start([parent(), child()]);
    await jobs.untilNextMinute(5_000);
    for (const instance of jobs.cluster.instances.keys()) jobs.cluster.crash(instance);
    await jobs.advance(3 * MINUTE);
    const before = jobs.runs('report').length;

    await jobs.cluster.join();
    await jobs.advance(30_000);

    const told = jobs.cluster.instances.flatMap(({ events }) => events);
    expect(told.filter(({ kind }) => kind === 'dependency-not-met')).toEqual([]);
    expect(told.filter(({ kind }) => kind === 'missed')).toMatchObject([{ jobName: 'import', reason: 'superseded' }]);
    expect(
      new Set(
        jobs
          .runs('report')
          .slice(before)
          .map(({ fireTime }) => fireTime),
      ).size,
    ).toBe(1);
  });
});

describe('damaged dependency nodes', () => {
  it.each(['/report/after', '/import/dependents'])(
    'reports %s if its types are wrong, and starts the child again',
    async (path) => {
      jobs = await DependentJobs.start([parent(), child()]);
      await jobs.untilNextMinute(5_000);
      await jobs.operator.set(path, '{"v":1,"parents":"import","closedUpTo":[],"pending":1,"starts":{},"runs":0}');
      await jobs.untilNextMinute(5_000);
      const before = jobs.runs('report').length;

      await jobs.untilNextMinute(5_000);
      expect(itemsOf(jobs.runs('report').slice(before))).toEqual(CHILDREN);
      const told = jobs.cluster.instances.flatMap(({ events }) => events);
      const isTold = ({ kind }: JobEvent) => kind === 'dependency-not-met' || kind === 'warning';
      expect(told.filter(isTold)).toMatchObject([{ jobName: 'report' }]);
      expectOncePerTarget(jobs.runs('report'));
    },
  );
});

/** Resolves as soon as a settle has started the child. */
async function startWritten(operator: RegistryCenter): Promise<void> {
  await new Promise<void>((resolve) => {
    void operator.openSubtree('/report/after', ({ kind }) => {
      if (kind === 'changed') resolve();
    });
  });
}
