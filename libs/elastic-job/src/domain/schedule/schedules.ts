import { CronSchedule } from './cron-schedule.js';
import type { Timetable } from './last-fire-time.js';

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
