import { type OffsetSpan, TimeZone } from './time-zone.js';
import { WallTimes } from './wall-times.js';

/**
 * Rule of a schedule around clock changes.
 *
 * - `quartz`: as Quartz, whatever the hours. A skipped time does not fire; the first pass of a doubled hour is silent.
 * - `natural`: all 24 hours, however they are written, run by elapsed time: both passes fire, and nothing moves. Any
 *   other set of hours is wall time: a doubled hour fires in its first pass only, and all skipped times together fire
 *   once, at the first instant after the gap. Vixie cron has the same two rules, and tells them apart by the spelling.
 */
export type ClockChange = 'quartz' | 'natural';

/**
 * A rule for clock changes, or `auto`: `natural` among our own instances, `quartz` as long as the job has a Java peer.
 * By `natural` a cron that names all 24 hours, as `*` or otherwise, runs by elapsed time, so both passes of a doubled
 * hour fire. Other hours are wall time: the first pass fires, and skipped times fire once, right after the gap. By
 * `quartz` the second pass alone fires, whatever the hours, and a skipped time does not.
 */
export type ClockChangeOption = ClockChange | 'auto';

const SECOND = 1000;
const DAY = 24 * 60 * 60 * SECOND;

/** Greatest change of any zone's clock. */
const LARGEST_SHIFT = DAY;
/**
 * Greatest distance between a wall time's fire instant and the instant at which a clock in UTC shows it: one offset and
 * one shift.
 */
const REACH = 2 * DAY;
const SEARCH_LENGTH = DAY;
const BEFORE_FIRST_YEAR = Date.UTC(1969, 11, 31);

/** Passes of a repeated wall time that fire. */
type Passes = 'every' | 'first' | 'last';

/**
 * The instants at which a Quartz cron expression fires in one time zone: a fixed set, the same for every caller at any
 * time. All instants are milliseconds since the epoch and fall on whole seconds. The last year is 2199.
 */
export class CronSchedule {
  private readonly walls: WallTimes;
  private readonly zone: TimeZone;
  private readonly passes: Passes;
  /** The last answer of `next`. */
  private found: { readonly after: number; readonly next: number } | undefined;

  /**
   * @param timeZone an IANA name or `GMT+8:00`; undefined is the zone of the host
   * @throws {CronSyntaxError} if the expression is wrong
   * @throws {TimeZoneError} if the time zone is unknown
   */
  constructor(
    readonly expression: string,
    timeZone: string | undefined,
    readonly clockChange: ClockChange,
  ) {
    this.walls = new WallTimes(expression);
    this.zone = new TimeZone(timeZone);
    if (clockChange === 'quartz') this.passes = 'last';
    else this.passes = this.walls.everyHour ? 'every' : 'first';
  }

  /** The time zone as it was given, or the IANA name of the host's. */
  get timeZone(): string {
    return this.zone.name;
  }

  /** The first fire instant strictly after the given instant, or undefined if there is none. */
  next(after: number): number | undefined {
    const { found } = this;
    // The next fire time is asked for several times in a row.
    if (found !== undefined && found.after <= after && after < found.next) return found.next;
    const next = this.search(after);
    if (next !== undefined) this.found = { after, next };
    return next;
  }

  private search(after: number): number | undefined {
    let from = Math.max(Math.floor(after / SECOND) * SECOND, BEFORE_FIRST_YEAR);
    for (;;) {
      const wall = this.walls.atOrAfter(from - REACH);
      if (wall === undefined) return undefined;
      from = Math.max(from, wall - REACH);
      const found = this.firstBetween(from, from + SEARCH_LENGTH);
      if (found !== undefined) return found;
      from += SEARCH_LENGTH;
    }
  }

  /** The last fire instant f with `after` < f <= `notAfter`, or undefined if there is none. */
  latest(notAfter: number, after: number): number | undefined {
    const first = this.next(after);
    if (first === undefined || first > notAfter) return undefined;
    let fired = first;
    let end = Math.floor(notAfter / SECOND) * SECOND;
    while (fired < end) {
      const middle = end - Math.ceil((end - fired) / (2 * SECOND)) * SECOND;
      const found = this.next(middle);
      if (found !== undefined && found <= notAfter) fired = found;
      else end = middle;
    }
    return fired;
  }

  /**
   * The instant from which Quartz counts for the first fire time after the given one. Quartz reads the instant as wall
   * time, so an instant in the silent first pass of a doubled hour counts as the same time in the second. Any other
   * instant counts as itself.
   */
  countedFrom(instant: number): number {
    if (this.clockChange !== 'quartz') return instant;
    const second = Math.floor(instant / SECOND) * SECOND;
    const [span] = this.zone.spans(second, second + LARGEST_SHIFT);
    const { end, offset, after } = span!;
    return second + offset >= end + after ? instant + offset - after : instant;
  }

  /** The first fire instant f with from < f <= until; both are whole seconds. */
  private firstBetween(from: number, until: number): number | undefined {
    for (const span of this.zone.spans(from - LARGEST_SHIFT, until + LARGEST_SHIFT)) {
      const found = this.firstIn(span, from + SECOND);
      if (found !== undefined) return found <= until ? found : undefined;
    }
    return undefined;
  }

  private firstIn(span: OffsetSpan, notBefore: number): number | undefined {
    if (this.passes === 'first' && span.start >= notBefore && this.isDueInGapBefore(span)) return span.start;
    const { from, to } = this.wallsOf(span);
    const wall = this.walls.atOrAfter(Math.max(from, notBefore + span.offset));
    return wall !== undefined && wall < to ? wall - span.offset : undefined;
  }

  private isDueInGapBefore({ start, offset, before }: OffsetSpan): boolean {
    const skipped = this.walls.atOrAfter(start + before);
    return skipped !== undefined && skipped < start + offset;
  }

  /** The wall times that fire and that a span shows: `from` is the first of them, `to` is beyond the last. */
  private wallsOf({ start, end, offset, before, after }: OffsetSpan): { readonly from: number; readonly to: number } {
    const from = start + (this.passes === 'first' ? Math.max(offset, before) : offset);
    const to = end + (this.passes === 'last' ? Math.min(offset, after) : offset);
    return { from, to };
  }
}

/** The settings that decide when a job fires. */
export interface Timetable {
  readonly cron?: string | undefined;
  readonly timeZone: string | undefined;
  readonly clockChange: ClockChange;
}

/** The timetable of a job. @param firesByQuartz true if the job has a Java peer, which fires by Quartz's rule */
export function timetableOf(
  { cron, timeZone, clockChange }: Omit<Timetable, 'clockChange'> & { readonly clockChange: ClockChangeOption },
  firesByQuartz: boolean,
): Timetable {
  const auto = firesByQuartz ? 'quartz' : 'natural';
  return { cron, timeZone, clockChange: clockChange === 'auto' ? auto : clockChange };
}

/** The last fire time of a job up to an instant, both in milliseconds since the epoch; undefined if there is none. */
export function lastFireTime({ cron, timeZone, clockChange }: Timetable, notAfter: number): number | undefined {
  return cron ? new CronSchedule(cron, timeZone, clockChange).latest(notAfter, 0) : undefined;
}

/** At this size the table is emptied; jobs keep the schedules that they have. */
const MOST_KEPT = 1_000;

/** Schedules of many jobs: jobs with the same timetable share one, and the fire times that it has found. */
export class Schedules {
  private readonly known = new Map<string, CronSchedule>();

  /**
   * The schedule of a timetable. @returns undefined if the timetable has no cron
   * @throws {CronSyntaxError} @throws {TimeZoneError}
   */
  of({ cron, timeZone, clockChange }: Timetable): CronSchedule | undefined {
    if (cron === undefined) return undefined;
    const key = JSON.stringify([cron, timeZone, clockChange]);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    if (this.known.size >= MOST_KEPT) this.known.clear();
    const schedule = new CronSchedule(cron, timeZone, clockChange);
    this.known.set(key, schedule);
    return schedule;
  }
}

/** Schedules begin with the year 1970, by any zone's clock. */
const BEFORE_ALL = Date.UTC(1969, 0);

/**
 * Finds why a schedule has no fire time after an instant; undefined if it has one.
 * @see Quartz, `QuartzScheduler.scheduleJob`: "the given trigger will never fire"
 */
export function findEnd(schedule: CronSchedule, now: number): string | undefined {
  if (schedule.next(now) !== undefined) return undefined;
  const cron = `cron "${schedule.expression}"`;
  const last = schedule.latest(now, BEFORE_ALL);
  return last === undefined
    ? `${cron} never fires`
    : `${cron} is over, its last fire time was ${new Date(last).toISOString()}`;
}

/** Finds why a schedule has no fire time at all, with the remedy. */
export function findNeverFault(schedule: CronSchedule): string | undefined {
  return findEndFault(schedule, BEFORE_ALL);
}

/** The same as `findEnd`, with the remedy of the one who gives the cron. */
export function findEndFault(schedule: CronSchedule, now: number): string | undefined {
  const end = findEnd(schedule, now);
  return end && `${end}; correct it, or give none for a job that runs when it is triggered`;
}
