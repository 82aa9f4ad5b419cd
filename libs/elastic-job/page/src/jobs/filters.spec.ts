import { describe, expect, it } from 'vitest';
import { filtersOf, isFiltered, type JobFilters, queryOf } from './filters.js';

describe('filters of jobs', () => {
  it('come back from the URL that they have made', () => {
    const filters: JobFilters = {
      q: 'a&b=ü %',
      status: 'DISABLED',
      attention: 'no-owner',
      label: '财务',
      sort: '-running',
    };
    expect(filtersOf(Object.fromEntries(new URLSearchParams(queryOf(filters))))).toEqual(filters);
  });

  it('leave out what the API would refuse', () => {
    expect(filtersOf({ status: 'ANY', attention: 'yes', sort: 'name', q: '', cursor: 'x', limit: '9' })).toEqual({});
  });

  it('are none if only the order was chosen', () => {
    expect([isFiltered({ sort: '-job' }), isFiltered({ label: 'x' })]).toEqual([false, true]);
  });
});
