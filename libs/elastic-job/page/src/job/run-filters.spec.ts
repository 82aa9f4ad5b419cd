import { describe, expect, it } from 'vitest';
import type { ExecutionAnswer } from '../../../src/console/contract/job-answers.js';
import { askedFor, outcomeOf, type RunFilters, runFiltersOf, runQueryOf, taskOf } from './run-filters.js';

const RUN: ExecutionAnswer = {
  id: '1',
  job: 'j',
  item: 0,
  task: 't',
  hostname: 'h',
  ip: '10.0.0.1',
  source: 'NORMAL_TRIGGER',
  startedAt: '2026-11-30T02:00:00.000Z',
  completedAt: null,
  succeeded: false,
  error: null,
};

describe('filters of runs', () => {
  it('come back from the URL that they have made', () => {
    const filters: RunFilters = { item: 3, outcome: 'failed', source: 'FAILOVER', since: '24h', run: 'a&b' };
    expect(runFiltersOf(Object.fromEntries(new URLSearchParams(runQueryOf(filters))))).toEqual(filters);
  });

  it('ask the API for the span up to the present', () => {
    const asked = askedFor(runFiltersOf({ since: '1h', run: 'a' }), Date.parse('2026-11-30T02:00:00.000Z'));
    expect(asked).toEqual({ from: '2026-11-30T01:00:00.000Z' });
  });

  it('leave out what the API would refuse', () => {
    expect(runQueryOf(runFiltersOf({ item: '-1', outcome: 'lost', source: 'LUCK', since: '9y', run: '' }))).toBe('');
  });
});

describe('a run', () => {
  it('is unfinished until it has an end, whatever else it says', () => {
    const ended = { ...RUN, completedAt: '2026-11-30T02:01:00.000Z' };
    expect([RUN, ended, { ...ended, succeeded: true }].map(outcomeOf)).toEqual(['unfinished', 'failed', 'succeeded']);
  });
});

describe('the task of a run', () => {
  it('names the items that have begun together, and their instance', () => {
    expect(taskOf('job@-@0,1@-@READY@-@10.0.3.12@-@7-9f2b')).toEqual({ items: [0, 1], instance: '10.0.3.12@-@7-9f2b' });
  });

  it('of another form is shown as it is', () => {
    expect([taskOf('x'), taskOf('job@-@all@-@READY@-@10.0.3.12@-@7')]).toEqual([undefined, undefined]);
  });
});
