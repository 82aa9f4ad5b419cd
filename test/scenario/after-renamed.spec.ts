import { afterEach, expect, it } from 'vitest';
import { JobConfigurationApi } from '../../libs/elastic-job/src/operations/index.js';
import { child, CHILDREN, DependentJobs, parent } from './support/dependent-jobs.js';
import { itemsOf } from './support/run-checks.js';

let jobs: DependentJobs;
afterEach(() => jobs.stop());

it('a child follows a renamed parent once the registry has the new name; the old job can be removed', async () => {
  jobs = await DependentJobs.start([parent(), parent({ name: 'import-orders' }), child()]);
  const settings = new JobConfigurationApi(jobs.operator);
  await jobs.untilNextMinute(5_000);
  expect(itemsOf(jobs.runs('report'))).toEqual(CHILDREN);

  await jobs.cluster.clock.advanceUntil(settings.updateJobConfiguration('report', { after: ['import-orders'] }));
  await jobs.cluster.clock.advanceUntil(settings.removeJobConfiguration('import'));
  await jobs.untilNextMinute(5_000);

  expect(jobs.runs('import')).toHaveLength(4);
  expect(jobs.runs('import-orders')).toHaveLength(8);
  expect(jobs.runs('report')).toHaveLength(2 * CHILDREN.length);
  const told = jobs.cluster.instances.flatMap(({ events }) => events);
  expect(told.filter(({ kind }) => kind === 'parents-away' || kind === 'dependency-not-met')).toEqual([]);
});
