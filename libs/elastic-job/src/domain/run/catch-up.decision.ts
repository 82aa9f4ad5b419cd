import type { MisfirePolicy } from '../options/index.js';

/** The fire times of a job, as a set; a `CronSchedule` is one. All instants are milliseconds since the epoch. */
export interface FireTimes {
  /** The first one after an instant. */
  next(after: number): number | undefined;
  /** The last one f with `after` < f <= `notAfter`. */
  latest(notAfter: number, after: number): number | undefined;
}

/** A stretch of time: `after` < t <= `until`. */
export interface Span {
  readonly after: number;
  readonly until: number;
}

/** The fire times that an item owes: those of the schedule within the span, without the excluded stretches. */
export interface OwedSpan extends Span {
  readonly schedule: FireTimes;
  /** Stretches in which the job, the item or its server was switched off: their fire times are not owed. */
  readonly excluded: readonly Span[];
}

/** Settings that decide how a job catches up. */
export interface CatchUpRule {
  readonly misfirePolicy: MisfirePolicy;
  readonly misfireLimit: number;
}

/**
 * Reason why a late fire time is not caught up on.
 * - `skipped`: the job does not catch up, or the clock could not be trusted;
 * - `superseded`: a later one is run in its place;
 * - `limit`: more than `misfireLimit` were owed.
 */
export type MissedReason = 'skipped' | 'superseded' | 'limit';

/** Fire times that are given up: all those of the schedule from the first to the last. */
export interface MissedTimes {
  readonly first: number;
  readonly last: number;
  /** Their number, as far as it was counted. */
  readonly count: number;
}

/** The owed fire times, ascending. */
export function* owedTimes({ schedule, after, until, excluded }: OwedSpan): Iterable<number> {
  let time = schedule.next(after);
  while (time !== undefined && time <= until) {
    const span = spanAround(time, excluded);
    if (span === undefined) yield time;
    time = schedule.next(span?.until ?? time);
  }
}

/** The last owed fire time. */
export function latestOwed({ schedule, after, until, excluded }: OwedSpan): number | undefined {
  let time = schedule.latest(until, after);
  for (let span = spanAround(time, excluded); span !== undefined; span = spanAround(time, excluded)) {
    time = schedule.latest(span.after, after);
  }
  return time;
}

/**
 * The fire time for which an item is to be begun now, to catch up; undefined if there is none. Under `all` it is the
 * oldest of the last `misfireLimit`: once it is begun, the next one is the answer.
 */
export function decideCatchUp(owed: OwedSpan, { misfirePolicy, misfireLimit }: CatchUpRule): number | undefined {
  switch (misfirePolicy) {
    case 'skip':
      return undefined;
    case 'once':
      return latestOwed(owed);
    case 'all':
      return lastOwed(owed, misfireLimit)[0];
    default:
      return misfirePolicy satisfies never;
  }
}

/** Fire times on which an item does not catch up. */
interface GiveUpDecision {
  /** The last fire time that is given up: it and all before it are never begun. Undefined: nothing is given up. */
  readonly upTo: number | undefined;
  /** The first fire time after that which a trigger may still begin. */
  readonly waiting: number | undefined;
}

/**
 * Decides what is given up: excluded fire times that no owed one precedes, and under `skip` the late ones.
 * @param lateSince under `skip`: fire times up to this instant are late
 */
export function decideGiveUp(owed: OwedSpan, { misfirePolicy }: CatchUpRule, lateSince: number): GiveUpDecision {
  const { schedule, after, until } = owed;
  const waiting = firstOwed(owed, misfirePolicy === 'skip' ? lateSince : after);
  return { upTo: schedule.latest(waiting === undefined ? until : waiting - 1, after), waiting };
}

/**
 * The owed fire times that are given up, ascending: one stretch, or several if excluded ones lie in between.
 * @param most limit of the count in one stretch
 */
export function findMissed(owed: OwedSpan, most: number): readonly MissedTimes[] {
  if (!hasFireTime(owed)) return [];
  const missed: MissedTimes[] = [];
  for (const span of spansBetween(owed, owed.excluded)) {
    const found = missedIn(owed.schedule, span, most);
    const before = missed.at(-1);
    if (found === undefined) continue;
    if (before === undefined || owed.schedule.next(before.last) !== found.first) missed.push(found);
    else missed.splice(-1, 1, { ...found, first: before.first, count: Math.min(most, before.count + found.count) });
  }
  return missed;
}

/** Every trigger asks, and between two consecutive begins the answer is no. */
function hasFireTime({ schedule, after, until }: OwedSpan): boolean {
  return after < until && (schedule.next(after) ?? Infinity) <= until;
}

function missedIn(schedule: FireTimes, { after, until }: Span, most: number): MissedTimes | undefined {
  const last = schedule.latest(until, after);
  if (last === undefined) return undefined;
  let count = 0;
  let time = schedule.next(after);
  const first = time ?? last;
  for (; time !== undefined && time <= last && count < most; time = schedule.next(time)) count += 1;
  return { first, last, count };
}

/** The parts of a span outside the others, ascending. */
function spansBetween({ after, until }: Span, others: readonly Span[]): readonly Span[] {
  const left: Span[] = [];
  let from = after;
  for (const other of others.toSorted((a, b) => a.after - b.after)) {
    left.push({ after: from, until: Math.min(other.after, until) });
    from = Math.max(from, other.until);
  }
  return [...left, { after: from, until }].filter((span) => span.after < span.until);
}

/** The last owed fire times, ascending. */
function lastOwed(owed: OwedSpan, count: number): readonly number[] {
  const first: number[] = [];
  for (const time of owedTimes(owed)) {
    if (first.length === count) return lastOwedBackwards(owed, count);
    first.push(time);
  }
  return first;
}

// Slower per fire time, but it skips everything that came before.
function lastOwedBackwards(owed: OwedSpan, count: number): readonly number[] {
  const times: number[] = [];
  let time = latestOwed(owed);
  while (time !== undefined && times.length < count) {
    times.push(time);
    time = latestOwed({ ...owed, until: time - 1 });
  }
  return times.toReversed();
}

function firstOwed(owed: OwedSpan, after: number): number | undefined {
  for (const time of owedTimes({ ...owed, after: Math.max(after, owed.after) })) return time;
  return undefined;
}

function spanAround(time: number | undefined, spans: readonly Span[]): Span | undefined {
  return time === undefined ? undefined : spans.find(({ after, until }) => after < time && time <= until);
}
