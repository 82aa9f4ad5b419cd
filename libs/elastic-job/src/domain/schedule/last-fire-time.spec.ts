import { describe, expect, it } from 'vitest';
import { lastFireTime } from './last-fire-time.js';

const NOON = Date.UTC(2026, 10, 21, 12);
const every = (cron?: string) => ({ cron, timeZone: 'GMT', clockChange: 'quartz' }) as const;

describe('the last fire time', () => {
  it.each([
    ['0 0 * * * ?', NOON],
    ['30 0 * * * ?', NOON - 3_600_000 + 30_000],
    ['0 0 0 1 1 ?', Date.UTC(2026, 0, 1)],
  ])('is the latest one at or before the given instant for %s', (cron, expected) => {
    expect(lastFireTime(every(cron), NOON)).toBe(expected);
  });

  it.each([undefined, '0 0 0 1 1 ? 2099'])('does not exist for %s, which has not fired yet', (cron) => {
    expect(lastFireTime(every(cron), NOON)).toBeUndefined();
  });
});
