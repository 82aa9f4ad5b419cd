import { expect, it } from 'vitest';
import { shortestIntervalMs } from './shortest-interval.js';

const after = new Date('2027-03-01T00:00:00Z');

it.each([
  ['* * * * * ?', 1_000],
  ['0/20 * * * * ?', 20_000],
  ['0 0 8,9 * * ?', 3_600_000],
  ['5,7 0 0 * * ?', 2_000],
  ['0 0 0 1 1 ? 2028', Infinity],
])('the fire times of %s are never closer than %i ms', (cron, expected) => {
  expect(shortestIntervalMs(cron, { after, timeZone: 'UTC' })).toBe(expected);
});
