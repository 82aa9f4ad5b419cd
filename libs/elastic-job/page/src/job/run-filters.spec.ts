import { describe, expect, it } from 'vitest';
import type { ExecutionAnswer } from '../../../src/console/contract/job-answers.js';
import { outcomeOf, type RunFilters, runFiltersOf, runQueryOf, taskOf, withNewest } from './run-filters.js';

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
const runs = (...ids: readonly string[]) => ids.map((id) => ({ ...RUN, id }));

describe('filters of runs', () => {
  it('come back from the URL that they have made', () => {
    const filters: RunFilters = { outcome: 'failed', source: 'FAILOVER', since: '24h', run: 'a&b' };
    expect(runFiltersOf(Object.fromEntries(new URLSearchParams(runQueryOf(filters))))).toEqual(filters);
  });

  it('leave out what the API would refuse', () => {
    expect(runQueryOf(runFiltersOf({ outcome: 'lost', source: 'LUCK', since: '9y', run: '' }))).toBe('');
  });
});

describe('a list of runs', () => {
  it('gets new ones before it, and keeps older ones that were read', () => {
    const list = { runs: runs('3', '2', '1'), cursor: 'before 1' };
    const ended = { ...RUN, id: '3', completedAt: '2026-11-30T02:01:00.000Z', succeeded: true };
    const newest = { runs: [...runs('4'), ended], cursor: 'before 3' };
    const { cursor, runs: all } = withNewest(list, newest);
    expect(all.map(({ id }) => id)).toEqual(['4', '3', '2', '1']);
    expect(all.map(outcomeOf)).toEqual(['unfinished', 'succeeded', 'unfinished', 'unfinished']);
    expect(cursor).toBe('before 1');
  });

  it('begins anew if so many are new that there would be a hole', () => {
    const newest = { runs: runs('9', '8'), cursor: 'before 8' };
    expect(withNewest({ runs: runs('2', '1'), cursor: null }, newest)).toBe(newest);
  });

  it('goes on where its first page ends if that is all of it', () => {
    const newest = { runs: runs('2', '1'), cursor: null };
    expect(withNewest({ runs: runs('1'), cursor: null }, newest)).toEqual(newest);
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
