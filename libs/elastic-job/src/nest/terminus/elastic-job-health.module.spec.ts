import { expect, it } from 'vitest';
import { ElasticJobHealthModule } from './elastic-job-health.module.js';

it('refuses a misspelled option by name: details would be shown otherwise', () => {
  const misspelled = { detials: false, details: true };

  expect(() => ElasticJobHealthModule.forRoot(misspelled)).toThrow('did you mean details?');
  expect(() => ElasticJobHealthModule.forRoot({ details: false })).not.toThrow();
});
