import { expect, it } from 'vitest';
import { CronSchedule } from './cron-schedule.js';
import { findEnd } from './find-end.js';

const NOW = Date.UTC(2026, 6, 1);

it.each([
  ['0 0 0 30 2 ?', 'cron "0 0 0 30 2 ?" never fires'],
  ['0 0 0 1 1 ? 1999', 'cron "0 0 0 1 1 ? 1999" is over, its last fire time was 1999-01-01T00:00:00.000Z'],
  ['0 0 0 1 7 ? 2026', 'cron "0 0 0 1 7 ? 2026" is over, its last fire time was 2026-07-01T00:00:00.000Z'],
  ['1 0 0 1 7 ? 2026', undefined],
  ['0 0 0 29 2 ?', undefined],
])('tells that a cron never fires or is over: %s', (cron, end) => {
  expect(findEnd(new CronSchedule(cron, 'UTC', 'natural'), NOW)).toBe(end);
});
