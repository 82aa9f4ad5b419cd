import { expect, it } from 'vitest';
import { CronSyntaxError } from './schedule.errors.js';
import { Schedules } from './schedules.js';

const NOON = { cron: '0 0 12 * * ?', timeZone: 'UTC', clockChange: 'natural' } as const;

it('gives two equal timetables the same schedule', () => {
  const schedules = new Schedules();

  expect(schedules.of({ ...NOON })).toBe(schedules.of(NOON));
});

it.each([
  { cron: '0 0 13 * * ?' },
  { timeZone: 'Europe/Berlin' },
  { timeZone: undefined },
  { clockChange: 'quartz' },
] as const)('gives timetables that differ in %o a schedule each', (other) => {
  const schedules = new Schedules();
  const noon = schedules.of(NOON);

  const found = schedules.of({ ...NOON, ...other });

  expect(found).not.toBe(noon);
  expect(found).toMatchObject({ expression: 'cron' in other ? other.cron : NOON.cron });
});

it('gives no schedule without a cron, and throws for a wrong one each time', () => {
  const schedules = new Schedules();

  expect(schedules.of({ ...NOON, cron: undefined })).toBeUndefined();
  for (let n = 0; n < 2; n += 1) expect(() => schedules.of({ ...NOON, cron: 'noon' })).toThrow(CronSyntaxError);
});

it('gives the right schedule of an early timetable after very many others', () => {
  const schedules = new Schedules();
  for (let n = 0; n < 2_500; n += 1) schedules.of({ ...NOON, cron: `${n % 60} ${Math.floor(n / 60)} 12 * * ?` });

  expect(schedules.of({ ...NOON, cron: '1 0 12 * * ?' })!.next(0)).toBe((12 * 3_600 + 1) * 1_000);
});
