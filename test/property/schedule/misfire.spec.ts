import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  CronSchedule,
  decideCatchUp,
  decideGiveUp,
  type OwedSpan,
  owedTimes,
  findMissed,
  latestOwed,
  type MisfirePolicy,
  type Span,
} from '../../../libs/elastic-job/src/domain/index.js';
import { BruteForce, TimeTable, ZoneReading } from './brute-force.js';
import { randomCron, SeededRandom } from './random-cron.js';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;
const SEED = 20_261_122;
const CASES = 60;
/** An outage with more fire times than this shows nothing that a shorter one does not. */
const MOST_FIRES = 60;

const random = new SeededRandom(SEED);
const crons = Array.from({ length: 40 }, () => {
  const cron = randomCron(random);
  return { ...cron, table: new TimeTable(cron) };
});

interface Case {
  readonly owed: OwedSpan;
  /** Fire times that a reading second by second finds owed. */
  readonly expected: readonly number[];
  readonly limit: number;
  readonly lateSince: number;
}

/** An outage that begins near a clock change or anywhere, and up to three stretches within it that are excluded. */
function randomCase(zone: ZoneReading, clockChange: 'quartz' | 'natural'): Case {
  const cron = random.pick(crons);
  const change = random.pick(zone.changes).at;
  const anywhere = random.whole(zone.from / SECOND + DAY / SECOND, zone.until / SECOND - (40 * DAY) / SECOND) * SECOND;
  const after = random.pick([anywhere, change - random.whole(0, 7_200) * SECOND]);
  const fires = fireTimesAfter(new BruteForce(cron, cron.table, clockChange, zone), after);
  const longest = random.pick([2 * HOUR, DAY, 30 * DAY]);
  const some = fires.at(random.whole(0, MOST_FIRES)) ?? after;
  const until = random.pick([some, Math.min(after + random.whole(0, longest / SECOND) * SECOND, some)]) + 500;
  const excluded = Array.from({ length: random.whole(0, 3) }, () => randomSpan(after, until));
  const expected = fires.filter((time) => time <= until && !excluded.some((span) => isWithin(time, span)));
  const schedule = new CronSchedule(cron.text, zone.timeZone, clockChange);
  const owed = { schedule, after, until, excluded };
  return { owed, expected, limit: random.whole(1, 12), lateSince: randomSpan(after, until).until };
}

function fireTimesAfter(bruteForce: BruteForce, after: number): number[] {
  const times: number[] = [];
  // From a day before, since Quartz's rule starts from the later instant that shows the same time.
  for (const time of bruteForce.firesAfter(after - DAY)) {
    if (time > after) times.push(time);
    if (times.length > MOST_FIRES) break;
  }
  return times;
}

function randomSpan(from: number, to: number): Span {
  const [one, other] = [random.whole(from / SECOND, to / SECOND), random.whole(from / SECOND, to / SECOND)];
  return { after: Math.min(one, other) * SECOND + 250, until: Math.max(one, other) * SECOND + 750 };
}

function isWithin(time: number, { after, until }: Span): boolean {
  return after < time && time <= until;
}

/** The differences between the decisions and the reading; empty if they agree. */
function disagreements({ owed, expected, limit, lateSince }: Case): object[] {
  const rule = (misfirePolicy: MisfirePolicy) => ({ misfirePolicy, misfireLimit: limit });
  const inTime = expected.find((time) => time > lateSince);
  const found = {
    owed: [...owedTimes(owed)],
    latest: latestOwed(owed),
    skip: decideCatchUp(owed, rule('skip')),
    once: decideCatchUp(owed, rule('once')),
    all: replay(owed, rule('all')),
    missed: findMissed(owed, limit),
    waiting: decideGiveUp(owed, rule('skip'), lateSince).waiting,
  };
  const wanted = {
    owed: expected,
    latest: expected.at(-1),
    skip: undefined,
    once: expected.at(-1),
    all: expected.slice(-limit),
    missed: stretches(owed, expected, limit),
    waiting: inTime,
  };
  return isDeepStrictEqual(found, wanted) ? [] : [{ owed, found, wanted }];
}

/** Groups of fire times that follow one another in the schedule. */
function stretches({ schedule }: OwedSpan, times: readonly number[], most: number): object[] {
  const parts: number[][] = [];
  for (const time of times) {
    const part = parts.at(-1);
    if (part !== undefined && schedule.next(part.at(-1)!) === time) part.push(time);
    else parts.push([time]);
  }
  return parts.map((part) => ({ first: part[0], last: part.at(-1), count: Math.min(most, part.length) }));
}

/** Begins one fire time after the other, as an item does. */
function replay(owed: OwedSpan, rule: Parameters<typeof decideCatchUp>[1]): number[] {
  const begun: number[] = [];
  let next = decideCatchUp(owed, rule);
  while (next !== undefined) {
    begun.push(next);
    next = decideCatchUp({ ...owed, after: next }, rule);
  }
  return begun;
}

describe.each([
  ['Europe/Berlin', 2026],
  ['Australia/Lord_Howe', 2027],
  ['America/New_York', 2027],
] as const)('random schedules and outages in %s', (timeZone, year) => {
  const zone = new ZoneReading(timeZone, Date.UTC(year, 0, 1), Date.UTC(year + 2, 0, 1));

  it.each(['quartz', 'natural'] as const)(
    `begin and miss what a reading second by second says, in ${CASES} cases under the %s rule`,
    { timeout: 60_000 },
    (clockChange) => {
      const cases = Array.from({ length: CASES }, () => randomCase(zone, clockChange));
      // Otherwise the cases would not exercise the policies.
      expect(cases.filter(({ expected }) => expected.length > 3).length).toBeGreaterThan(CASES / 5);
      expect(cases.flatMap(disagreements)).toEqual([]);
    },
  );
});
