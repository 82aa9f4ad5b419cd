import { expect, it } from 'vitest';
import { ElasticJobMetricsModule } from './elastic-job-metrics.module.js';

function check(options: object): () => object {
  return () => ElasticJobMetricsModule.forRoot(options);
}

it('refuses a misspelled option of the metrics module by name', () => {
  expect(check({ maxJob: 5, path: false })).toThrow('did you mean maxJobs?');
  expect(check({ path: false, maxJobs: 5, buckets: {} })).not.toThrow();
});

it.each([
  [{ latenes: [1, 2] }, 'buckets.latenes is not an option of the metrics module; did you mean buckets.lateness?'],
  [{ lateness: ['1', '2'] }, 'buckets.lateness must be a list of seconds, ascending, such as [0.1, 1, 10]'],
  [{ duration: [2, 1] }, 'buckets.duration must be a list of seconds, ascending'],
  [{ duration: [1, Number.NaN] }, 'buckets.duration must be a list of seconds, ascending'],
  [{ duration: [1, Number.POSITIVE_INFINITY] }, 'buckets.duration must be a list of seconds, ascending'],
  [{ duration: [] }, 'buckets.duration must be a list of seconds, ascending'],
  [{ taskStart: 5 }, 'buckets.taskStart must be a list of seconds, ascending'],
  [[1, 2], 'buckets must be lists of seconds, such as { lateness: [0.1, 1, 10] }'],
  ['fine', 'buckets must be lists of seconds'],
])('refuses wrong buckets: %j', (buckets, problem) => {
  expect(check({ buckets })).toThrow(problem);
});

it('takes buckets that ascend', () => {
  expect(check({ buckets: { lateness: [0.1, 1], duration: [5], taskStart: [1, 2, 3] } })).not.toThrow();
});
