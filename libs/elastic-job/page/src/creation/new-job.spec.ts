import { describe, expect, it } from 'vitest';
import { checkedJob, NEW_JOB_FIELDS, templatesOf } from './new-job.js';

const EMPTY = { name: '', template: '', edits: {} };

describe('a new job', () => {
  it('sends what was typed as the API takes it, and leaves the rest to the template', () => {
    const edits = { cron: '30 2 * * 1-5', timeZone: '', shardingTotalCount: '2', jobParameter: '', description: 'x' };

    const { faults, missing, ...job } = checkedJob({ name: ' report-7 ', template: ' report ', edits });

    expect(job).toEqual({
      name: 'report-7',
      template: 'report',
      settings: { cron: expect.stringMatching(/^0 30 2 \? /), shardingTotalCount: 2, description: 'x' },
    });
    expect([faults.size, missing.size]).toEqual([0, 0]);
  });

  it('needs a name, a template and a number of items', () => {
    expect([...checkedJob(EMPTY).missing]).toEqual(['name', 'template', 'shardingTotalCount']);
  });

  it('tells a wrong value once, and not as missing', () => {
    const { faults, missing } = checkedJob({ name: 'a', template: 'b', edits: { shardingTotalCount: 'many' } });

    expect([...faults.keys()]).toEqual(['shardingTotalCount']);
    expect(missing.size).toBe(0);
  });

  it('has a field for each of its settings', () => {
    expect(NEW_JOB_FIELDS).toHaveLength(7);
  });

  it('offers each template of the jobs once, in order', () => {
    expect(templatesOf([{ template: 'b' }, { template: null }, { template: 'a' }, { template: 'b' }])).toEqual([
      'a',
      'b',
    ]);
  });
});
