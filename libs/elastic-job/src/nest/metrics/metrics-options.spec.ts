import { expect, it } from 'vitest';
import { assertMetricsOptions } from './metrics-options.rules.js';

it('refuses a misspelled option of the metrics module by name', () => {
  const misspelled = { maxJob: 5, path: false } as const;

  expect(() => assertMetricsOptions(misspelled)).toThrow('did you mean maxJobs?');
  expect(() => assertMetricsOptions({ path: false, maxJobs: 5, buckets: {} })).not.toThrow();
});
