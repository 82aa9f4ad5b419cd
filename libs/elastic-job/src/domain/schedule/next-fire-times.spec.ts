import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../errors.js';
import { CronSyntaxError, nextFireTimes } from './index.js';
import { shortestIntervalMs } from './next-fire-times.js';

const fires = (cron: string, timeZone: string, after: string, count: number): string[] =>
  nextFireTimes(cron, { timeZone, after: new Date(after), count }).map((time) => time.toISOString().slice(0, 19));

describe('nextFireTimes, clockChange natural', () => {
  it('fires once for all times that a gap skips, at the first instant after it', () => {
    expect(fires('0 0/20 2 * * ?', 'Europe/Berlin', '2027-03-27T01:30:00Z', 3)).toEqual([
      '2027-03-27T01:40:00',
      '2027-03-28T01:00:00',
      '2027-03-29T00:00:00',
    ]);
  });

  it('fires once if the first instant after a gap also matches', () => {
    expect(fires('0 0 2,3 * * ?', 'Europe/Berlin', '2027-03-28T00:00:00Z', 2)).toEqual([
      '2027-03-28T01:00:00',
      '2027-03-29T00:00:00',
    ]);
  });

  it('fires in the first pass alone of a doubled hour, whatever minutes and seconds say', () => {
    expect(fires('0 * 2 * * ?', 'Europe/Berlin', '2027-10-31T00:58:00Z', 2)).toEqual([
      '2027-10-31T00:59:00',
      '2027-11-01T01:00:00',
    ]);
    expect(fires('0 30 2-23 * * ?', 'Europe/Berlin', '2027-10-31T00:00:00Z', 2)).toEqual([
      '2027-10-31T00:30:00',
      '2027-10-31T02:30:00',
    ]);
  });

  it.each([
    '0 30 * * * ?',
    '0 30 */1 * * ?',
    '0 30 /1 * * ?',
    '0 30 0/1 1/1 * ?',
    '0 30 0-23 * * ?',
    '0 30 0-11,12-23 * * ?',
    '0 30 9-8 * * ?',
    '0 30 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23 * * ?',
  ])('fires %s, which names all hours, by elapsed time: in both passes, and nothing moves in a gap', (cron) => {
    expect(fires(cron, 'Europe/Berlin', '2027-10-31T00:00:00Z', 3)).toEqual([
      '2027-10-31T00:30:00',
      '2027-10-31T01:30:00',
      '2027-10-31T02:30:00',
    ]);
    expect(fires(cron, 'Europe/Berlin', '2027-03-28T00:00:00Z', 2)).toEqual([
      '2027-03-28T00:30:00',
      '2027-03-28T01:30:00',
    ]);
  });

  it.each(['0 0 */2 * * ?', '0 0 0/2 * * ?', '0 0 /2 * * ?', '0 0 0-22/2 * * ?'])(
    'fires %s, some hours of the day, by wall time: after a gap, and in a first pass alone',
    (cron) => {
      expect(fires(cron, 'Europe/Berlin', '2027-03-27T23:30:00Z', 2)).toEqual([
        '2027-03-28T01:00:00',
        '2027-03-28T02:00:00',
      ]);
      expect(fires(cron, 'Europe/Berlin', '2027-10-30T22:30:00Z', 2)).toEqual([
        '2027-10-31T00:00:00',
        '2027-10-31T03:00:00',
      ]);
    },
  );

  it('changes only what is skipped or doubled if the clock moves by half an hour', () => {
    expect(fires('0 0,15,45 2 * * ?', 'Australia/Lord_Howe', '2027-10-02T12:00:00Z', 3)).toEqual([
      '2027-10-02T15:30:00',
      '2027-10-02T15:45:00',
      '2027-10-03T15:00:00',
    ]);
    expect(fires('0 0/15 1 * * ?', 'Australia/Lord_Howe', '2027-04-03T14:00:00Z', 4)).toEqual([
      '2027-04-03T14:15:00',
      '2027-04-03T14:30:00',
      '2027-04-03T14:45:00',
      '2027-04-04T14:30:00',
    ]);
  });

  it('fires once for a day that a zone skipped, as the next day begins', () => {
    expect(fires('0 30 9,17 * * ?', 'Pacific/Apia', '2011-12-30T00:00:00Z', 4)).toEqual([
      '2011-12-30T03:30:00',
      '2011-12-30T10:00:00',
      '2011-12-30T19:30:00',
      '2011-12-31T03:30:00',
    ]);
    expect(fires('0 0 12 30 12 ?', 'Pacific/Apia', '2011-01-01T00:00:00Z', 1)).toEqual(['2011-12-30T10:00:00']);
  });

  it('fires at the beginning of a day whose midnight is skipped', () => {
    expect(fires('0 0 0 * * ?', 'America/Sao_Paulo', '2018-11-03T12:00:00Z', 2)).toEqual([
      '2018-11-04T03:00:00',
      '2018-11-05T02:00:00',
    ]);
  });
});

describe('nextFireTimes', () => {
  it('gives one time without a count, and none for the count 0', () => {
    const options = { timeZone: 'UTC', after: 0 };
    expect(nextFireTimes('0 0 12 * * ?', options)).toEqual([new Date('1970-01-01T12:00:00Z')]);
    expect(nextFireTimes('0 0 12 * * ?', { ...options, count: 0 })).toEqual([]);
  });

  it('gives only the times that exist if an expression ends before the count is reached', () => {
    expect(nextFireTimes('0 0 12 1 1 ? 2027,2029', { timeZone: 'UTC', after: 0, count: 5 })).toHaveLength(2);
  });

  it.each([
    [{ after: new Date(Number.NaN) }, 'after: NaN'],
    [{ after: 0, count: 1.5 }, 'count: 1.5'],
    [{ after: 0, count: -1 }, 'count: -1'],
    [JSON.parse('{"after":0,"timezone":"UTC"}'), 'timezone is not an option of nextFireTimes; known are timeZone,'],
    [JSON.parse('{"after":0,"clockChange":"auto"}'), 'clockChange: "auto" is neither "natural" nor "quartz"'],
  ])('refuses %o with the name of the option: %s', (options, why) => {
    const ask = () => nextFireTimes('0 0 12 * * ?', options);
    expect(ask).toThrow(ConfigurationError);
    expect(ask).toThrow(why);
  });

  it.each([
    ['30 2 * * *', '0 30 2 * * ?'],
    ['0 30 2 * * 1-5', '0 30 2 ? * MON-FRI'],
  ])('refuses the unix expression %s with the function that translates it, and the result', (unix, quartz) => {
    const ask = () => nextFireTimes(unix, { after: 0 });
    expect(ask).toThrow(CronSyntaxError);
    expect(ask).toThrow(
      `"${unix}": is a unix expression, but Quartz's is wanted; unixToQuartz makes "${quartz}" of it.`,
    );
  });

  it('refuses what is an expression of neither dialect by its fault', () => {
    expect(() => nextFireTimes('0 0 * *', { after: 0 })).toThrow('6 or 7 fields');
  });
});

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
