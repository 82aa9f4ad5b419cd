import { CronExpression } from '@nestjs/schedule';
import { CronTime } from 'cron';
import { describe, expect, it } from 'vitest';
import { CronSchedule, unixToQuartz } from '../../../libs/elastic-job/src/domain/schedule/index.js';
import { Seeded } from '@test/support/seeded.js';
import { BruteForce, TimeTable, ZoneReading } from './brute-force.js';
import { readUnix } from './unix-reading.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const FROM = Date.UTC(2030, 0, 1);
const TO = Date.UTC(2031, 0, 1);
/** Around a clock change the package cron has its own rules, so ours is compared with `BruteForce` there. */
const CHANGE_MS = 6 * HOUR_MS;
/**
 * `CRON_WHOLE_YEAR=1`, as in CI, compares the whole year, which takes minutes, 500 windows of expressions that fire
 * more than hourly, and all of the time around a change. Otherwise some windows and the nearest hours are compared.
 */
const isWhole = process.env['CRON_WHOLE_YEAR'] === '1';
const WINDOWS = isWhole ? 500 : 4;
const AROUND_MS = isWhole ? CHANGE_MS : 2 * HOUR_MS;
/** Fire times of all expressions around the changes of a zone, at least. */
const LEAST_AROUND = isWhole ? 100_000 : 30_000;
/** The whole year runs in idle class, beside everything else. */
const LIMITS = { timeout: isWhole ? 1_800_000 : 60_000 };
/** Fire times that are compared in a window. */
const IN_WINDOW = 3;
const ZONES = ['America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe'];
/** Each expression once, since some have two names. */
const EXPRESSIONS = [...new Set<string>(Object.values(CronExpression))];
/** Each expression as it is read second by second, which is the same in every zone. */
const READINGS = EXPRESSIONS.map((expression) => {
  const cron = readUnix(expression);
  return { expression, cron, table: new TimeTable(cron) };
});

type Next = (after: number) => number;

describe('the constants of @nestjs/schedule', LIMITS, () => {
  it('are read by Quartz after translation', () => {
    expect(Object.keys(CronExpression)).toHaveLength(83);
    for (const expression of EXPRESSIONS) expect(() => scheduleOf(expression, 'UTC')).not.toThrow();
  });

  it.each(ZONES)('fire over a year in %s at the same instants as in the package cron', (zone) => {
    const changes = clockChanges(zone);
    expect(changes).toHaveLength(2);
    const random = new Seeded(20_301_122);
    const differences = EXPRESSIONS.flatMap((expression) => {
      const schedule = scheduleOf(expression, zone);
      const cronTime = new CronTime(expression, zone);
      const both: readonly [Next, Next] = [
        (after) => schedule.next(after)!,
        (after) => cronTime.getNextDateFrom(new Date(after), zone).toMillis(),
      ];
      const found = spans(schedule, random).flatMap(([from, count]) => differencesIn(from, count, both, changes));
      return found.map((difference) => `${expression}: ${difference}`);
    });
    expect(differences).toEqual([]);
  });

  it.each(ZONES)('fire by the natural rule around the clock changes of %s', (zone) => {
    const reading = new ZoneReading(zone, FROM, TO);
    expect(reading.changes).toHaveLength(2);
    let compared = 0;
    for (const { expression, cron, table } of READINGS) {
      const bruteForce = new BruteForce(cron, table, 'natural', reading);
      const schedule = scheduleOf(expression, zone);
      for (const { at } of reading.changes) {
        const [from, to] = [at - AROUND_MS, at + AROUND_MS];
        const expected = firesUntil(to, bruteForce.firesAfter(from));
        const fires = firesUntil(to, firesOf(schedule, from));
        expect(fires.map(instant), `${expression} around ${instant(at)}`).toEqual(expected.map(instant));
        compared += fires.length;
      }
    }
    console.info(`${zone}: ${compared} fire times around clock changes`);
    expect(compared).toBeGreaterThan(LEAST_AROUND);
  });
});

function* firesOf(schedule: CronSchedule, after: number): Generator<number> {
  for (let time = schedule.next(after); time !== undefined; time = schedule.next(time)) yield time;
}

/** Fire times up to and including the end. */
function firesUntil(end: number, fires: Iterable<number>): number[] {
  const before: number[] = [];
  for (const fire of fires) {
    if (fire > end) break;
    before.push(fire);
  }
  return before;
}

function scheduleOf(expression: string, zone: string): CronSchedule {
  return new CronSchedule(unixToQuartz(expression), zone, 'natural');
}

/** Starting points, and the number of fire times to compare: the year, or random windows. */
function spans(schedule: CronSchedule, random: Seeded): readonly (readonly [from: number, count: number])[] {
  const first = schedule.next(FROM)!;
  if (isWhole && schedule.next(first)! - first >= HOUR_MS) return [[FROM, Number.POSITIVE_INFINITY]];
  return Array.from({ length: WINDOWS }, () => [random.between(FROM, TO - DAY_MS), IN_WINDOW] as const);
}

/** Pairs of fire times that follow the same instant and are not the same, except near a clock change. */
function differencesIn(
  from: number,
  count: number,
  [ours, theirs]: readonly [Next, Next],
  changes: readonly number[],
): readonly string[] {
  const differences: string[] = [];
  let time = from;
  for (let compared = 0; compared < count && time < TO; compared++) {
    const [own, their] = [ours(time), theirs(time)];
    const isNearChange = changes.some(
      (change) => Math.min(...[own, their].map((ms) => Math.abs(ms - change))) <= CHANGE_MS,
    );
    if (own !== their && !isNearChange) differences.push(`${instant(own)} instead of ${instant(their)}`);
    time = own;
  }
  return differences;
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}

/** The instants of the year at which the zone's offset changes, to the hour. */
function clockChanges(zone: string): readonly number[] {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  const offset = (ms: number) => format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value;
  const hours = Array.from({ length: (TO - FROM) / HOUR_MS }, (_, i) => FROM + i * HOUR_MS);
  return hours.filter((hour) => offset(hour) !== offset(hour - HOUR_MS));
}
