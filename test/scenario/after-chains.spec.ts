import { afterEach, describe, expect, it } from 'vitest';
import { JobConfigurationApi } from '../../libs/elastic-job/src/operations/index.js';
import { child, CHILDREN, DependentJobs, MINUTE, parent } from './support/dependent-jobs.js';
import { editConfig } from './support/operators.js';
import { allNodes } from './support/registry-walk.js';
import { itemsOf, range } from './support/run-checks.js';

let jobs: DependentJobs;
afterEach(() => jobs.stop());

describe('chains of jobs', () => {
  it('starts a job after two others once both have succeeded, even if one runs after the other', async () => {
    const check = child({ name: 'check', handler: (_context, { clock }) => clock.sleep(4_000) });
    jobs = await DependentJobs.start([child({ after: ['import', 'check'] }), parent(), check]);

    await jobs.untilNextMinute(4_000);
    expect(itemsOf(jobs.runs('check'))).toEqual(CHILDREN);
    expect(jobs.runs('report')).toEqual([]);
    await jobs.advance(2_000);

    expect(itemsOf(jobs.runs('report'))).toEqual(CHILDREN);
    const [fireTime, ...others] = new Set(
      ['import', 'check', 'report'].flatMap((job) => jobs.runs(job)).map((run) => run.fireTime),
    );
    expect([fireTime! % MINUTE, others]).toEqual([0, []]);
  });

  it('starts the child after the parent that the registry names, and after no other', async () => {
    jobs = await DependentJobs.start([parent(), parent({ name: 'export', cron: '30 * * * * ?' }), child()]);
    await jobs.untilNextMinute(5_000);

    await editConfig(jobs.operator, 'report', /nestjs\.after: .*$/m, 'nestjs.after: export');
    await jobs.advance(50_000);

    expect(jobs.runs('report').map(({ fireTime }) => fireTime % MINUTE)).toEqual([0, 0, 0, 30_000, 30_000, 30_000]);
    expect(await jobs.operator.children('/import/dependents')).toEqual([]);
    expect(await jobs.operator.children('/export/dependents')).toEqual(['report']);
  });

  it('forgets a child that an operator has removed, and the parent runs on', async () => {
    jobs = await DependentJobs.start([parent(), child()]);

    await new JobConfigurationApi(jobs.operator).removeJobConfiguration('report');
    expect(await jobs.operator.children('/import/dependents')).toEqual([]);
    await jobs.untilNextMinute(5_000);

    expect(itemsOf(jobs.runs('import'))).toEqual(range(4));
    expect(jobs.runs('report')).toEqual([]);
  });

  it('forgets a child whose nodes were removed once the parent has succeeded', async () => {
    jobs = await DependentJobs.start([parent(), child()]);
    expect(await jobs.operator.children('/import/dependents')).toEqual(['report']);
    for (const { path } of (await allNodes(jobs.operator, '/report')).toReversed()) await jobs.operator.delete(path);

    await jobs.untilNextMinute(5_000);

    expect(itemsOf(jobs.runs('import'))).toEqual(range(4));
    expect(await jobs.operator.children('/import/dependents')).toEqual([]);
  });
});
