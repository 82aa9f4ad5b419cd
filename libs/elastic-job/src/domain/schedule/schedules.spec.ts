import { expect, it } from 'vitest';
import { CronSyntaxError } from './schedule.errors.js';
import { Schedules } from './schedules.js';

const NOON = { cron: '0 0 12 * * ?', timeZone: 'UTC', clockChange: 'natural' } as const;

it('given two equal timetables, when their schedules are asked for, then they are one', () => {
  const schedules = new Schedules();

  expect(schedules.of({ ...NOON })).toBe(schedules.of(NOON));
});

it.each([
  { cron: '0 0 13 * * ?' },
  { timeZone: 'Europe/Berlin' },
  { timeZone: undefined },
  { clockChange: 'quartz' },
] as const)('given timetables that differ in %o, when their schedules are asked for, then each is its own', (other) => {
  const schedules = new Schedules();
  const noon = schedules.of(NOON);

  const found = schedules.of({ ...NOON, ...other });

  expect(found).not.toBe(noon);
  expect(found).toMatchObject({ expression: 'cron' in other ? other.cron : NOON.cron });
});

it('given no cron, then there is no schedule; given a wrong one, then that is told each time', () => {
  const schedules = new Schedules();

  expect(schedules.of({ ...NOON, cron: undefined })).toBeUndefined();
  for (let n = 0; n < 2; n += 1) expect(() => schedules.of({ ...NOON, cron: 'noon' })).toThrow(CronSyntaxError);
});

it('given very many timetables, when one of the first is asked for again, then it is right', () => {
  const schedules = new Schedules();
  for (let n = 0; n < 2_500; n += 1) schedules.of({ ...NOON, cron: `${n % 60} ${Math.floor(n / 60)} 12 * * ?` });

  expect(schedules.of({ ...NOON, cron: '1 0 12 * * ?' })!.next(0)).toBe((12 * 3_600 + 1) * 1_000);
});
