import { expect, it } from 'vitest';
import { readTaskReport } from './read-task-report.js';

it('leaves out the fields that do not belong to a report', () => {
  const error = { name: 'Error', message: 'no such order', stack: 'at settle', code: 7 };
  expect(readTaskReport({ v: 1, outcome: 'failed', ms: 5, error, node: 'x' })).toEqual({
    v: 1,
    outcome: 'failed',
    ms: 5,
    error: { name: 'Error', message: 'no such order', stack: 'at settle' },
  });
  expect(readTaskReport({ v: 1, outcome: 'succeeded', ms: 0, error: 'none' })).toEqual({
    v: 1,
    outcome: 'succeeded',
    ms: 0,
  });
});

it.each([
  null,
  5,
  [],
  {},
  { v: 2, outcome: 'succeeded', ms: 1 },
  { v: 1, outcome: 'dreamt', ms: 1 },
  { v: 1, outcome: 'succeeded', ms: -1 },
  { v: 1, outcome: 'succeeded' },
  { v: 1, outcome: 'failed', ms: 1, error: { name: 'Error', message: 'x'.repeat(5_000) } },
])('does not accept %j as a report', (value) => {
  expect(readTaskReport(value)).toBeUndefined();
});
