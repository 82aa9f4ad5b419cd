import type { CronSchedule } from './cron-schedule.js';

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
