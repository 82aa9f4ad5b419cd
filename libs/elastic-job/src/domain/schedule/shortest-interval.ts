import { nextFireTimes, type NextFireTimesOptions } from './next-fire-times.js';

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
