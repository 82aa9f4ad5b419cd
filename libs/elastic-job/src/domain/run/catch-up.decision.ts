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

/** What says which fire times an item owes: those of the schedule within the span, less the excluded ones. */
export interface OwedSpan extends Span {
  readonly schedule: FireTimes;
  /** When the job, the item or its server was switched off: nobody owes what came then. */
  readonly excluded: readonly Span[];
}

/** How a job catches up on what was not begun in time. */
export interface CatchUpRule {
  readonly misfirePolicy: MisfirePolicy;
  readonly misfireLimit: number;
}

/**
 * Why a fire time that was not begun in time is not caught up on.
 * - `skipped`: the job catches up on nothing, or the clock was not to be trusted;
 * - `superseded`: a later one is run in its place;
 * - `limit`: more than `misfireLimit` were owed.
 */
export type MissedReason = 'skipped' | 'superseded' | 'limit';

/** Fire times that nobody began and nobody will: all those of the schedule from the first to the last. */
export interface MissedTimes {
  readonly first: number;
  readonly last: number;
  /** How many they are, as far as they are counted. */
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
 * The fire time that an item is to be begun for now, to catch up; undefined if it catches up on nothing.
 * Under `all` that is the oldest of the last `misfireLimit`: once it is begun, the next one is the answer.
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

/** What becomes of the fire times on which an item does not catch up. */
interface GiveUpDecision {
  /** None up to this one is to be begun any more, although some have come; undefined: there is none. */
  readonly upTo: number | undefined;
  /** The first one after that which a trigger may still begin. */
  readonly waiting: number | undefined;
}

/**
 * What is given up: excluded fire times that no owed one precedes, and under `skip` those that are too late.
 * @param lateSince under `skip`: what came until this instant is too late to be begun
 */
export function decideGiveUp(owed: OwedSpan, { misfirePolicy }: CatchUpRule, lateSince: number): GiveUpDecision {
  const { schedule, after, until } = owed;
  const waiting = firstOwed(owed, misfirePolicy === 'skip' ? lateSince : after);
  return { upTo: schedule.latest(waiting === undefined ? until : waiting - 1, after), waiting };
}

/**
 * The owed fire times that nobody will begin any more: ascending, and in one stretch unless there are excluded ones in
 * between.
 * @param most as many of a stretch are counted
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

/** Between two begins in a row there is none, and every trigger asks. */
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

/** What is left of a span without others, ascending. */
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

// Slower for each, but it does not have to pass all that came before.
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
