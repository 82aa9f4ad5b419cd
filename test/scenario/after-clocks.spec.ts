import { afterEach, describe, expect, it } from 'vitest';
import { parseStartLedger } from '../../libs/elastic-job/src/domain/index.js';
import { child, CHILDREN, DependentJobs, MINUTE, parent } from './support/dependent-jobs.js';
import { itemsOf, range } from './support/run-checks.js';

const HOUR = 60 * MINUTE;

let jobs: DependentJobs;
afterEach(() => jobs.stop());

describe('dependencies under a clock that is hours ahead', () => {
  it('does not run an item for a start that came while it was disabled and the clock was wrong', async () => {
    jobs = await DependentJobs.start([parent(), child()], 1);
    await jobs.advance(5_000);
    await jobs.operator.create('/report/sharding/1/disabled', '', 'PERSISTENT');

    await jobs.untilNextMinute(50);
    setAhead(5 * HOUR);
    await jobs.advance(1_000);
    setAhead(0);
    await jobs.advance(5_000);
    await jobs.operator.delete('/report/sharding/1/disabled');
    await jobs.advance(10_000);

    expect(itemsOf(jobs.runs('import'))).toEqual(range(4));
    expect(itemsOf(jobs.runs('report'))).toEqual([0, 2]);
  });

  it('starts the child again although the count of its runs was damaged', async () => {
    jobs = await DependentJobs.start([parent(), child()], 1);
    await jobs.advance(5_000);
    setAhead(5 * HOUR);
    await jobs.operator.set('/import/dependents', 'damaged');

    await jobs.untilNextMinute(5_000);
    await jobs.untilNextMinute(5_000);

    expect(itemsOf(jobs.runs('report'))).toEqual(CHILDREN);
  });
});

describe('dependencies under a clock that is hours behind', () => {
  it('does not run an item for a start that came while it was disabled', async () => {
    jobs = await DependentJobs.start([parent({ shardingTotalCount: 2 }), child()], 3);
    const owners = [...jobs.cluster.assignment('import').values()];
    const idle = [0, 1, 2].find((instance) => !owners.includes(instance))!;
    jobs.cluster.setWall(idle, jobs.cluster.clock.wallNow() - 2 * HOUR);
    await jobs.advance(15_000);
    for (const item of CHILDREN) await jobs.operator.create(`/report/sharding/${item}/disabled`, '', 'PERSISTENT');

    await jobs.untilNextMinute(5_000);
    for (const item of CHILDREN) await jobs.operator.delete(`/report/sharding/${item}/disabled`);
    await jobs.advance(10_000);
    jobs.cluster.setWall(idle, jobs.cluster.clock.wallNow());
    await jobs.advance(10_000);

    expect(itemsOf(jobs.runs('import'))).toEqual([0, 1]);
    expect(itemsOf(jobs.runs('report'))).toEqual([]);
  });

  it('does not run an item for a start of its own while it was disabled, if others enable the item', async () => {
    jobs = await DependentJobs.start([parent({ cron: '0 0 * * * ?' }), child()], 3);
    jobs.cluster.setWall(2, jobs.cluster.clock.wallNow() - HOUR / 2);
    // The third instance begins its item of the parent half an hour after the others, so that item ends last.
    await jobs.advance(HOUR + 10 * MINUTE);
    for (const item of CHILDREN) await jobs.operator.create(`/report/sharding/${item}/disabled`, '', 'PERSISTENT');
    await jobs.advance(30 * MINUTE);
    expect(parseStartLedger((await jobs.operator.read('/report/after'))!.data)?.starts).toHaveLength(1);
    for (const item of CHILDREN) await jobs.operator.delete(`/report/sharding/${item}/disabled`);
    await jobs.advance(10_000);

    expect(itemsOf(jobs.runs('report'))).toEqual([]);
  });
});

describe('dependencies on hosts whose clocks are seconds apart', () => {
  it.each([
    [-4_000, 0],
    [0, 4_000],
    [-4_000, 4_000],
  ])(
    'catches up on no start that came while items were disabled: children %d ms, parent %d ms ahead',
    async (childMs, parentMs) => {
      jobs = await DependentJobs.start([parent({ shardingTotalCount: 1 }), child()], 3);
      const owner = jobs.cluster.assignment('import').get(0);
      for (const instance of range(3)) {
        jobs.cluster.setWall(instance, jobs.cluster.clock.wallNow() + (instance === owner ? parentMs : childMs));
      }
      await jobs.advance(15_000);
      const marks = CHILDREN.map((item) => `/report/sharding/${item}/disabled`);

      for (const mark of marks) await jobs.operator.create(mark, '', 'PERSISTENT');
      await jobs.untilNextMinute(parentMs > 0 ? -parentMs + 300 : 300);
      for (const mark of marks) await jobs.operator.delete(mark);
      await jobs.advance(10_000);

      expect(itemsOf(jobs.runs('import'))).toEqual([0]);
      expect(itemsOf(jobs.runs('report'))).toEqual([]);
    },
  );
});

function setAhead(aheadMs: number): void {
  jobs.cluster.setWall(0, jobs.cluster.clock.wallNow() + aheadMs);
}
