import { describe, expect, it } from 'vitest';
import { askedFor, eventFiltersOf, type RunFilters, queryOf, runFiltersOf } from './filters.js';

const NOW = Date.parse('2026-11-30T03:14:00.000Z');

describe('filters of runs and events', () => {
  it('come back from the URL that they have made', () => {
    const filters: RunFilters = {
      job: '结算 a&b',
      item: 3,
      outcome: 'lost',
      origin: 'rerun:01jd8',
      instance: '10.0.3.12@-@7-9f2b',
      version: '1.43.1',
      fireTime: '2026-11-30T02:00:00.000Z',
      since: '24h',
    };
    expect(runFiltersOf(Object.fromEntries(new URLSearchParams(queryOf(filters))))).toEqual(filters);
    expect(queryOf({})).toBe('');
  });

  it('leave out what the API would refuse', () => {
    const wrong = { outcome: 'good', item: '-1', since: 'ever', fireTime: '2026-11-30', from: 'now', job: '  ' };
    expect(runFiltersOf(wrong)).toEqual({});
    expect(eventFiltersOf({ kind: 'missed', item: 'x' })).toEqual({ kind: 'missed' });
  });

  it('ask the API for a span up to the present', () => {
    expect(askedFor(runFiltersOf({ since: '1h', job: 'j' }), NOW)).toEqual({
      job: 'j',
      from: '2026-11-30T02:14:00.000Z',
    });
  });

  it('ask for an item only within its job, since others have the same numbers', () => {
    expect(askedFor(runFiltersOf({ item: '3' }), NOW)).toEqual({});
    expect(askedFor(eventFiltersOf({ item: '3', job: 'j' }), NOW)).toEqual({ job: 'j', item: 3 });
  });

  it('take a window of a link for a span', () => {
    const window = { from: '2026-11-30T02:00:00Z', to: '2026-11-30T03:00:00Z' };
    expect(runFiltersOf({ ...window, since: '7d' })).toEqual({
      from: '2026-11-30T02:00:00.000Z',
      to: '2026-11-30T03:00:00.000Z',
    });
  });
});
