import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CronSyntaxError, nextFireTimes } from './index.js';

interface Vector {
  readonly group: string;
  readonly expression: string;
  readonly timeZone: string;
  readonly start: string;
  readonly valid: boolean;
  readonly next?: readonly string[];
  readonly kind: 'documented' | 'dst' | 'quirk';
}

const file = new URL('../../../../../test/fixtures/quartz-vectors.json', import.meta.url);
const { vectors }: { readonly vectors: readonly Vector[] } = JSON.parse(readFileSync(file, 'utf8'));
const promised = vectors.filter(({ kind }) => kind !== 'quirk');
const quirks = vectors.filter(({ kind }) => kind === 'quirk');

function fireTimes({ expression, timeZone, start }: Vector): string[] {
  const times = nextFireTimes(expression, { timeZone, after: new Date(start), count: 5, clockChange: 'quartz' });
  return times.map((time) => time.toISOString().replace('.000Z', 'Z'));
}

function quirk(expression: string): Vector {
  return quirks.find((vector) => vector.expression === expression)!;
}

describe('nextFireTimes, clockChange quartz', () => {
  it.each(promised.filter(({ valid }) => valid))(
    'answers for $expression in $timeZone after $start as Quartz does ($group)',
    (vector) => {
      expect(fireTimes(vector)).toEqual(vector.next);
    },
  );

  it.each(promised.filter(({ valid }) => !valid))(
    'refuses "$expression" with a syntax error, as Quartz does',
    (vector) => {
      expect(() => fireTimes(vector)).toThrow(CronSyntaxError);
    },
  );

  it('skips months of 30 days for 31W, where Quartz fires in some of them', () => {
    const vector = quirk('0 0 12 31W * ?');
    expect(vector.next).toContain('2027-04-30T04:00:00Z');
    expect(fireTimes(vector)).toEqual([
      '2026-12-31T04:00:00Z',
      '2027-01-29T04:00:00Z',
      '2027-03-31T04:00:00Z',
      '2027-05-31T04:00:00Z',
      '2027-07-30T04:00:00Z',
    ]);
  });

  it.each([
    ['0 0 12 1,15W * ?', 'day of month: "1,15W" is not LW or a day such as 15W, which must stand alone'],
    ['0 0 12 15W,20W * ?', 'day of month: "15W,20W" is not LW or a day such as 15W, which must stand alone'],
    ['0 0 12 ? * MONDAY', 'day of week: "MONDAY" is not 1 to 7 or SUN to SAT'],
    ['0 0 12 C * ?', 'day of month: "C" is not 1 to 31'],
    ['0 0 12 * * ? 2299', 'year: "2299" is not 1970 to 2199'],
  ])('refuses "%s", which Quartz reads in part, and says what would be right', (expression, why) => {
    expect(() => fireTimes(quirk(expression))).toThrow(why);
  });

  it('has expectations above for all six quirks of the vectors', () => {
    expect(quirks).toHaveLength(6);
  });
});
