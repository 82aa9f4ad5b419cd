import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { CronSchedule, nextFireTimes } from '../../../libs/elastic-job/src/domain/schedule/index.js';
import { BruteForce, TimeTable, ZoneReading } from './brute-force.js';
import { randomCron, SeededRandom } from './random-cron.js';

const SECOND = 1000;
const DAY = 86_400_000;
const SEED = 20_261_121;

/** Above this many fire times, samples of the two years are compared instead of all. */
const MOST_IN_FULL = 800;
const FIRES_PER_PLACE = 30;
const RANDOM_PLACES = 10;

/**
 * Two years each: whole and half hours, north and south, a change at midnight, a zone that gave clock changes up, a
 * skipped day.
 */
const zones = [
  ['Europe/Berlin', 2026],
  ['America/New_York', 2027],
  ['Australia/Lord_Howe', 2027],
  ['America/Sao_Paulo', 2017],
  ['Asia/Shanghai', 1990],
  ['Pacific/Apia', 2011],
] as const;

type ClockChange = 'quartz' | 'natural';

/** The suite `cron-year` compares more of them. */
const EXPRESSIONS = process.env['CRON_WHOLE_YEAR'] === '1' ? 100 : 40;
const seeded = new SeededRandom(SEED);
const crons = Array.from({ length: EXPRESSIONS }, () => {
  const cron = randomCron(seeded);
  return { ...cron, table: new TimeTable(cron) };
});

/** Instants just before each side of the time that a clock change skips or doubles, and some anywhere. */
function placesOf(zone: ZoneReading, elsewhere: number): number[] {
  const random = new SeededRandom(SEED);
  const nearChanges = zone.changes.flatMap(({ at, before, after }) => [
    at - Math.abs(after - before),
    at,
    at + Math.abs(after - before),
  ]);
  const anywhere = Array.from({ length: elsewhere }, () => random.whole(zone.from / SECOND, zone.until / SECOND));
  return [...nearChanges.map((t) => t - 7 * SECOND), ...anywhere.map((s) => s * SECOND)];
}

function take(fires: Iterable<number>, count: number): number[] {
  const taken: number[] = [];
  for (const fire of fires) {
    if (taken.length === count) break;
    taken.push(fire);
  }
  return taken;
}

/** The differences between nextFireTimes and the reading; empty if they agree. */
function disagreements(cron: (typeof crons)[number], clockChange: ClockChange, zone: ZoneReading): object[] {
  const { timeZone, from, until } = zone;
  const bruteForce = new BruteForce(cron, cron.table, clockChange, zone);
  const inFull = cron.table.times.length * ((until - from) / DAY) <= MOST_IN_FULL;
  return (inFull ? [from] : placesOf(zone, RANDOM_PLACES)).flatMap((after) => {
    const expected = take(bruteForce.firesAfter(after), inFull ? MOST_IN_FULL : FIRES_PER_PLACE);
    const count = inFull ? expected.length + 1 : expected.length;
    const times = nextFireTimes(cron.text, { timeZone, after, count, clockChange }).map(Number);
    const within = times.filter((time) => time < until);
    return isDeepStrictEqual(within, expected) ? [] : [{ cron: cron.text, clockChange, after, within, expected }];
  });
}

/** The same for `latest`, over stretches of a few fire times. */
function latestDisagreements(cron: (typeof crons)[number], clockChange: ClockChange, zone: ZoneReading): object[] {
  const schedule = new CronSchedule(cron.text, zone.timeZone, clockChange);
  const bruteForce = new BruteForce(cron, cron.table, clockChange, zone);
  return placesOf(zone, 0).flatMap((place) => {
    const [first, ...fires] = take(bruteForce.firesAfter(place), 5);
    const last = fires.at(-1);
    if (first === undefined || last === undefined) return [];
    const found = [schedule.latest(last, first), schedule.latest(last - 1, first - 1)];
    const expected = [last, fires.at(-2) ?? first];
    return isDeepStrictEqual(found, expected) ? [] : [{ cron: cron.text, clockChange, place, found, expected }];
  });
}

describe.each(zones)(`${EXPRESSIONS} random cron expressions in %s`, (timeZone, year) => {
  const zone = new ZoneReading(timeZone, Date.UTC(year, 0, 1), Date.UTC(year + 2, 0, 1));

  it("are read over two years in which the zone's clock changes", () => {
    expect(zone.changes.length).toBeGreaterThan(1);
  });

  it.each(['quartz', 'natural'] as const)(
    'agree with a reading second by second in nextFireTimes and latest, under the %s rule',
    { timeout: 600_000 },
    (clockChange) => {
      expect(crons.flatMap((cron) => disagreements(cron, clockChange, zone))).toEqual([]);
      expect(crons.flatMap((cron) => latestDisagreements(cron, clockChange, zone))).toEqual([]);
    },
  );
});
