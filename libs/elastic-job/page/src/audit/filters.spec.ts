import { describe, expect, it } from 'vitest';
import { askedFor, type AuditFilters, filtersOf, queryOf } from './filters.js';

const NOW = Date.parse('2026-11-30T03:14:00.000Z');

describe('filters of the audit', () => {
  it('come back from the URL that they have made', () => {
    const filters: AuditFilters = {
      who: 'a&b=ü %',
      action: 'job.disable',
      job: '结算',
      server: '10.0.3.11',
      outcome: 'unknown',
      since: '24h',
    };
    expect(filtersOf(Object.fromEntries(new URLSearchParams(queryOf(filters))))).toEqual(filters);
    expect(queryOf({})).toBe('');
  });

  it('leave out what the API would refuse', () => {
    expect(filtersOf({ outcome: 'maybe', since: 'monday', who: '  ', cursor: 'x', limit: '9' })).toEqual({});
    expect(filtersOf({ since: '2026-11-30' })).toEqual({});
  });

  it('ask from an instant on, that of a span or a given one', () => {
    expect(askedFor({ since: '24h', job: 'a' }, NOW)).toEqual({ job: 'a', from: '2026-11-29T03:14:00.000Z' });
    expect(askedFor({ since: '2026-11-30T02:00:00+01:00' }, NOW)).toEqual({ from: '2026-11-30T01:00:00.000Z' });
    expect(askedFor({ who: 'ada' }, NOW)).toEqual({ who: 'ada' });
  });
});
