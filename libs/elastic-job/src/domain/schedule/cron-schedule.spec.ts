import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  CronSchedule,
  CronSyntaxError,
  findEnd,
  lastFireTime,
  Schedules,
  TimeZoneError,
  timetableOf,
} from './index.js';
import { findEndFault, findNeverFault } from './cron-schedule.js';

const at = (text: string): number => Date.parse(text);
const text = (instant: number | undefined): string | undefined =>
  instant === undefined ? undefined : new Date(instant).toISOString().replace('.000Z', 'Z');

const readMinute61 = () => new CronSchedule('0 61 * * * ?', 'UTC', 'natural');

const noonIn = (timeZone: string | undefined) =>
  text(new CronSchedule('0 0 12 * * ?', timeZone, 'natural').next(at('2026-07-01T00:00:00Z')));

function firesOf(schedule: CronSchedule): (number | undefined)[] {
  const fires: (number | undefined)[] = [at('2026-11-21T10:07:03Z')];
  while (fires.length < 40) fires.push(schedule.next(fires.at(-1) ?? Number.MAX_SAFE_INTEGER));
  return fires;
}

describe('CronSchedule.next', () => {
  it('answers strictly later than the given instant, on a whole second', () => {
    const schedule = new CronSchedule('* * * * * ?', 'UTC', 'natural');
    expect(schedule.next(5000)).toBe(6000);
    expect(schedule.next(5999.5)).toBe(6000);
    expect(schedule.next(4999)).toBe(5000);
  });

  it('fires in the second pass, also if asked from within the silent first pass', () => {
    const schedule = new CronSchedule('0 0/30 * * * ?', 'Europe/Berlin', 'quartz');
    expect(text(schedule.next(at('2027-10-31T00:45:00Z')))).toBe('2027-10-31T01:00:00Z');
  });

  it('finds no fire time after the end of an expression', () => {
    expect(new CronSchedule('0 0 12 * * ? 2027', 'UTC', 'natural').next(at('2027-12-31T12:00:00Z'))).toBeUndefined();
    expect(new CronSchedule('* * * * * ?', 'UTC', 'natural').next(at('2199-12-31T23:59:59Z'))).toBeUndefined();
  });

  it.each(['0 0 12 30 2 ?', '0 0 12 31 2,4,6,9,11 ?', '0 0 0 29 2 ? 2100', '0 0 12 ? 2 SUN#5 2027'])(
    'finds no fire time for %s, a date that never comes',
    (expression) => {
      expect(new CronSchedule(expression, 'Europe/Berlin', 'natural').next(at('2026-01-01T00:00:00Z'))).toBeUndefined();
    },
  );

  it('finds the first fire time of 1970 after an instant long before it', () => {
    const schedule = new CronSchedule('0 0 0 * * ?', 'UTC', 'natural');
    expect(text(schedule.next(-8.64e15))).toBe('1970-01-01T00:00:00Z');
    expect(schedule.next(8.64e15)).toBeUndefined();
  });
});

describe('the days of a month', () => {
  it.each([
    ['0 0 0 1W * ?', '2026-07-31T00:00:00Z', '2026-08-03T00:00:00Z'],
    ['0 0 0 L-30 * ?', '2026-03-02T00:00:00Z', '2026-05-01T00:00:00Z'],
    ['0 0 0 L-27W 2 ?', '2026-01-01T00:00:00Z', '2026-02-02T00:00:00Z'],
  ])('named by %s, after %s, fire on %s', (expression, after, next) => {
    expect(text(new CronSchedule(expression, 'UTC', 'natural').next(at(after)))).toBe(next);
  });
});

describe('CronSchedule.countedFrom', () => {
  it.each([
    ['2026-10-24T23:59:59Z', '2026-10-24T23:59:59Z'],
    ['2026-10-25T00:00:00Z', '2026-10-25T01:00:00Z'],
    ['2026-10-25T00:59:59Z', '2026-10-25T01:59:59Z'],
    ['2026-10-25T01:00:00Z', '2026-10-25T01:00:00Z'],
  ])('counts %s from %s, as Quartz does in the silent first pass of a doubled hour', (instant, counted) => {
    const schedule = (rule: 'natural' | 'quartz') => new CronSchedule('0 0 * * * ?', 'Europe/Berlin', rule);
    expect(text(schedule('quartz').countedFrom(at(instant)))).toBe(counted);
    expect(text(schedule('natural').countedFrom(at(instant)))).toBe(instant);
  });
});

describe('CronSchedule.latest', () => {
  const noon = new CronSchedule('0 0 12 * * ?', 'Europe/Berlin', 'natural');

  it('finds the last fire time in an outage of years', () => {
    const [from, until] = [at('2021-05-01T00:00:00Z'), at('2026-11-21T10:59:59Z')];
    expect(text(noon.latest(until, from))).toBe('2026-11-20T11:00:00Z');
    const every = new CronSchedule('* * * * * ?', 'Europe/Berlin', 'natural');
    expect(every.latest(until, from)).toBe(until);
  });

  it('finds the last fire time of a sparse expression', () => {
    const leapDay = new CronSchedule('0 0 0 29 2 ?', 'UTC', 'quartz');
    expect(text(leapDay.latest(at('2027-01-01T00:00:00Z'), 0))).toBe('2024-02-29T00:00:00Z');
  });

  it('includes the upper bound and excludes the lower one if they are fire times', () => {
    const [first, second] = [at('2026-11-20T11:00:00Z'), at('2026-11-21T11:00:00Z')];
    expect(noon.latest(second, first)).toBe(second);
    expect(noon.latest(second - 1, first)).toBeUndefined();
    expect(noon.latest(first, second)).toBeUndefined();
  });

  it('finds the earlier of two fire times of a second pass in quartz mode', () => {
    const schedule = new CronSchedule('0 0/30 * * * ?', 'Europe/Berlin', 'quartz');
    const found = schedule.latest(at('2027-10-31T01:29:00Z'), at('2027-10-30T00:00:00Z'));
    expect(text(found)).toBe('2027-10-31T01:00:00Z');
  });
});

describe('the cron expression', () => {
  it('is in the error of a wrong field, with the field and what would be right', () => {
    expect(readMinute61).toThrow(CronSyntaxError);
    expect(readMinute61).toThrow('Cron expression "0 61 * * * ?": minute: "61" is not 0 to 59.');
    const facts = { code: 'CRON_SYNTAX', expression: '0 61 * * * ?', field: 'minute' };
    expect(readMinute61).toThrow(expect.objectContaining(facts));
  });

  it.each([
    ['* * * * *', '6 or 7 fields'],
    ['0', 'second, minute, hour, day of month, month, day of week, year (optional)'],
    ['0 0 12 * * ? 2027 nightly', '6 or 7 fields'],
    ['@daily', '6 or 7 fields'],
    ['0 0 12 0W * ?', '"0" is not 1 to 31'],
    ['0 0 12 32W * ?', '"32" is not 1 to 31'],
    ['0 0 12 L-31 * ?', 'more than 30 days back'],
    ['0 0 12 L-28W * ?', 'more than 27 days back'],
    ['0 0 12 1-5W * ?', 'must stand alone'],
    ['0 0 12 L,1 * ?', 'must stand alone'],
    ['0 0 12 ? * 6#3,2', 'must stand alone'],
    ['0 0 12 ? * 0#2', '"0" is not 1 to 7'],
    ['0 0 12 ? * 6#0', 'number 1 to 5'],
    ['0 0 12 ? * 6#10', 'asks for number 10'],
    ['0 0 12 ? * 10#2', '"10" is not 1 to 7'],
    ['0 0 12 ? * MON/2', 'step behind a name'],
    ['0 0 12 ? JAN-JUN/2 *', 'step behind a name'],
    ['0 0 12 ? * MON-6', 'mixes a name and a number'],
    ['0 0 12 ? * SUNDAY-TUESDAY', '"SUNDAY" is not 1 to 7 or SUN to SAT'],
    ['0 0 12 ? * ?', 'only one of them may be "?"'],
    ['0 0 12 * * *', 'one of them must be "?"'],
    ['*/0 * * * * ?', 'write 1 or more'],
    ['0 0 14-24/0 * * ?', '"24" is not 0 to 23'],
    ['10-30/60 * * * * ?', 'larger than 59'],
    ['1,,2 * * * * ?', '"" is no value, range or step'],
    ['*5 * * * * ?', '"*5" is no value, range or step'],
    ['1-2-3 * * * * ?', '"1-2-3" is no value, range or step'],
    ['1a * * * * ?', '"1A" is not 0 to 59'],
    [
      `${Array.from({ length: 1_001 }, (_, n) => n).join()} * * * * ?`,
      'is a list of 1001 parts, and may be one of 1000',
    ],
    ['1.5 * * * * ?', '"1.5" is no value, range or step'],
    ['0 0 12 ? L *', '"L" is not 1 to 12 or JAN to DEC'],
    ['0 0 12 * * ? 2030-2027', 'ends before it begins'],
    ['0 0 12 * * ? 1969', '"1969" is not 1970 to 2199'],
  ])('is refused as "%s" with the reason: %s', (expression, why) => {
    expect(() => new CronSchedule(expression, 'UTC', 'natural')).toThrow(why);
  });

  it.each([
    ['  0\t0  12 ? jan-mar mon,fri  ', '0 0 12 ? 1-3 2,6'],
    ['0/0 7-20/0 * * * ?', '0 7 * * * ?'],
    ['0/59 * * * * ?', '0,59 * * * * ?'],
    [`${'0,'.repeat(2_000)}5 * * * * ?`, '0,5 * * * * ?'],
    ['00 015 006 01 012 ? 02027', '0 15 6 1 12 ? 2027'],
    ['0 0 12 L-0W * ?', '0 0 12 LW * ?'],
    ['0 0 12 ? * L', '0 0 12 ? * SAT'],
    ['0 0 12 ? * FRI-MON', '0 0 12 ? * 1,2,6,7'],
    ['0 0 12 10-5/20 * ?', '0 0 12 10,30 * ?'],
    ['0 0 12 1 NOV-FEB ?', '0 0 12 1 11,12,1,2 ?'],
    ['0 0 12 1 1 ? */3', '0 0 12 1 1 ? 1970/3'],
  ])('may be written as "%s" in place of "%s"', (expression, plain) => {
    const schedules = [expression, plain].map((cron) => new CronSchedule(cron, 'UTC', 'natural'));
    expect(firesOf(schedules[0]!)).toEqual(firesOf(schedules[1]!));
    expect(firesOf(schedules[0]!)[1]).toBeDefined();
  });
});

describe('the time zone', () => {
  it.each([
    ['GMT', '2026-07-01T12:00:00Z'],
    ['GMT+8', '2026-07-01T04:00:00Z'],
    ['GMT+8:00', '2026-07-01T04:00:00Z'],
    ['GMT+08:00', '2026-07-01T04:00:00Z'],
    ['GMT+0800', '2026-07-01T04:00:00Z'],
    ['GMT-9:30', '2026-07-01T21:30:00Z'],
    ['GMT+23:59', '2026-07-01T12:01:00Z'],
    ['Asia/Shanghai', '2026-07-01T04:00:00Z'],
    ['Europe/Berlin', '2026-07-01T10:00:00Z'],
  ])('puts noon in %s at %s', (timeZone, expected) => {
    expect(noonIn(timeZone)).toBe(expected);
  });

  it.each(['GMT+25', 'GMT+24', 'GMTX', 'UGMT+8', 'GMT+8:60', 'GMT+8:0', 'gmt+8', 'Mars/Olympus', ''])(
    'is refused by name if it is "%s", which Java would take for GMT',
    (timeZone) => {
      expect(() => noonIn(timeZone)).toThrow(TimeZoneError);
      expect(() => noonIn(timeZone)).toThrow(`Time zone "${timeZone}" is unknown`);
    },
  );

  it('is refused with the error of the platform as the cause', () => {
    expect(() => noonIn('Mars/Olympus')).toThrow(expect.objectContaining({ cause: expect.any(RangeError) }));
  });

  it('is that of the host if none is given', () => {
    const host = Intl.DateTimeFormat().resolvedOptions().timeZone;
    expect(new CronSchedule('0 0 12 * * ?', undefined, 'natural').timeZone).toBe(host);
    expect(noonIn(undefined)).toBe(noonIn(host));
  });

  it('costs its memory once, however many schedules it has', () => {
    let formats = 0;
    const DateTimeFormat = class extends Intl.DateTimeFormat {
      constructor(...given: ConstructorParameters<typeof Intl.DateTimeFormat>) {
        super(...given);
        formats += 1;
      }
    };
    vi.stubGlobal('Intl', { DateTimeFormat });
    onTestFinished(() => void vi.unstubAllGlobals());
    const noons = ['America/Lima', 'america/lima', 'AMERICA/LIMA'].map(noonIn);
    expect({ formats, noons: new Set(noons) }).toEqual({ formats: 1, noons: new Set(['2026-07-01T17:00:00Z']) });
  });

  it('counts the seconds of an offset', () => {
    const schedule = new CronSchedule('0 0 12 * * ?', 'Africa/Monrovia', 'natural');
    expect(text(schedule.next(at('1971-01-01T00:00:00Z')))).toBe('1971-01-01T12:44:30Z');
  });
});

describe('timetableOf', () => {
  it.each([
    ['auto', false, 'natural'],
    ['auto', true, 'quartz'],
    ['quartz', false, 'quartz'],
    ['natural', true, 'natural'],
  ] as const)('resolves "%s" (the job has a Java peer: %s) to the rule "%s"', (option, firesByQuartz, rule) => {
    expect(timetableOf({ timeZone: 'UTC', clockChange: option }, firesByQuartz).clockChange).toBe(rule);
  });
});

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

const DAILY = { cron: '0 0 12 * * ?', timeZone: 'UTC', clockChange: 'natural' } as const;

it('gives two equal timetables the same schedule', () => {
  const schedules = new Schedules();

  expect(schedules.of({ ...DAILY })).toBe(schedules.of(DAILY));
});

it.each([
  { cron: '0 0 13 * * ?' },
  { timeZone: 'Europe/Berlin' },
  { timeZone: undefined },
  { clockChange: 'quartz' },
] as const)('gives timetables that differ in %o a schedule each', (other) => {
  const schedules = new Schedules();
  const noon = schedules.of(DAILY);

  const found = schedules.of({ ...DAILY, ...other });

  expect(found).not.toBe(noon);
  expect(found).toMatchObject({ expression: 'cron' in other ? other.cron : DAILY.cron });
});

it('gives no schedule without a cron, and throws for a wrong one each time', () => {
  const schedules = new Schedules();

  expect(schedules.of({ ...DAILY, cron: undefined })).toBeUndefined();
  for (let n = 0; n < 2; n += 1) expect(() => schedules.of({ ...DAILY, cron: 'noon' })).toThrow(CronSyntaxError);
});

it('gives the right schedule of an early timetable after very many others', () => {
  const schedules = new Schedules();
  for (let n = 0; n < 2_500; n += 1) schedules.of({ ...DAILY, cron: `${n % 60} ${Math.floor(n / 60)} 12 * * ?` });

  expect(schedules.of({ ...DAILY, cron: '1 0 12 * * ?' })!.next(0)).toBe((12 * 3_600 + 1) * 1_000);
});

const JULY = Date.UTC(2026, 6, 1);

it.each([
  ['0 0 0 30 2 ?', 'cron "0 0 0 30 2 ?" never fires'],
  ['0 0 0 1 1 ? 1999', 'cron "0 0 0 1 1 ? 1999" is over, its last fire time was 1999-01-01T00:00:00.000Z'],
  ['0 0 0 1 7 ? 2026', 'cron "0 0 0 1 7 ? 2026" is over, its last fire time was 2026-07-01T00:00:00.000Z'],
  ['1 0 0 1 7 ? 2026', undefined],
  ['0 0 0 29 2 ?', undefined],
])('tells that a cron never fires or is over: %s', (cron, end) => {
  expect(findEnd(new CronSchedule(cron, 'UTC', 'natural'), JULY)).toBe(end);
});

it('tells what to do about a cron that has no fire time, or none any more', () => {
  const [never, over, yearly] = ['0 0 0 30 2 ?', '0 0 0 1 1 ? 1999', '0 0 0 1 1 ?'].map(
    (cron) => new CronSchedule(cron, 'UTC', 'natural'),
  );
  const remedy = '; correct it, or give none for a job that runs when it is triggered';

  expect(findNeverFault(never!)).toBe(`cron "0 0 0 30 2 ?" never fires${remedy}`);
  expect([findNeverFault(over!), findNeverFault(yearly!)]).toEqual([undefined, undefined]);
  expect(findEndFault(over!, JULY)).toBe(
    `cron "0 0 0 1 1 ? 1999" is over, its last fire time was 1999-01-01T00:00:00.000Z${remedy}`,
  );
  expect(findEndFault(yearly!, JULY)).toBeUndefined();
});
