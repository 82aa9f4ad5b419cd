import { ConfigurationError } from '../errors.js';
import { CronSyntaxError } from './cron-field.js';
import { type ClockChange, CronSchedule } from './cron-schedule.js';
import { findQuartzOfUnix } from './unix-cron.js';

export interface NextFireTimesOptions {
  /** An IANA name such as `Europe/Berlin`, or ElasticJob's `GMT+8:00`. @default the zone of the host */
  readonly timeZone?: string;
  /** The instant after which to look; a number is milliseconds since the epoch. */
  readonly after: Date | number;
  /** How many fire times are wanted. @default 1 */
  readonly count?: number;
  /** The rule for clock changes. @default 'natural' */
  readonly clockChange?: ClockChange;
}

/**
 * The next times at which a Quartz cron expression fires; fewer than `count` if it ends before. With
 * `clockChange: 'quartz'` they are Quartz's, also for an `after` within a doubled hour: wall times of the second pass
 * up to that of `after` are left out.
 * @throws {CronSyntaxError} if the expression is wrong
 * @throws {TimeZoneError} if the time zone is unknown
 * @throws {ConfigurationError} if `after` is no instant or `count` no whole number, and for unknown options
 * @see Quartz, `CronExpression.getNextValidTimeAfter`
 */
export function nextFireTimes(cron: string, options: NextFireTimesOptions): Date[] {
  const { timeZone, count = 1, clockChange = 'natural', after: from, ...unknown } = options;
  const after = Number(from);
  checkOptions(after, count, clockChange, Object.keys(unknown));
  const schedule = scheduleOf(cron, timeZone, clockChange);
  const times: Date[] = [];
  let time: number | undefined = schedule.countedFrom(after);
  while (times.length < count) {
    time = schedule.next(time);
    if (time === undefined) break;
    times.push(new Date(time));
  }
  return times;
}

/** A unix expression is refused by name, since only the caller can tell what its text was meant to be. */
function scheduleOf(cron: string, timeZone: string | undefined, clockChange: ClockChange): CronSchedule {
  try {
    return new CronSchedule(cron, timeZone, clockChange);
  } catch (error) {
    const meant = error instanceof CronSyntaxError ? findQuartzOfUnix(cron) : undefined;
    if (meant === undefined) throw error;
    const problem = `is a unix expression, but Quartz's is wanted; unixToQuartz makes "${meant}" of it`;
    throw new CronSyntaxError(cron, undefined, problem);
  }
}

function checkOptions(after: number, count: number, clockChange: string, unknown: readonly string[]): void {
  const known = 'known are timeZone, after, count, clockChange';
  const problems = unknown.map((name) => `${name} is not an option of nextFireTimes; ${known}`);
  if (Number.isNaN(new Date(after).getTime()))
    problems.push(`after: ${after} is no Date and no milliseconds since the epoch`);
  if (!Number.isSafeInteger(count) || count < 0) problems.push(`count: ${count} is no whole number of 0 or more`);
  if (clockChange !== 'natural' && clockChange !== 'quartz') {
    problems.push(`clockChange: "${clockChange}" is neither "natural" nor "quartz"`);
  }
  if (problems.length > 0) throw new ConfigurationError('nextFireTimes', problems);
}

/** Number of fire times that are compared: an hour of a schedule that fires every 10 s. */
const LOOKED_AT = 360;

/**
 * The shortest time between two consecutive ones of the next 360 fire times, in milliseconds; infinite if there are
 * fewer than two.
 * @throws {CronSyntaxError} if the expression is wrong
 * @throws {TimeZoneError} if the time zone is unknown
 */
export function shortestIntervalMs(cron: string, options: Omit<NextFireTimesOptions, 'count'>): number {
  const times = nextFireTimes(cron, { ...options, count: LOOKED_AT }).map(Number);
  return Math.min(...times.slice(1).map((time, index) => time - times[index]!), Infinity);
}
