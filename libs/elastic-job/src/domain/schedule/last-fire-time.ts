import { CronSchedule, type ClockChange } from './cron-schedule.js';

/** The settings that decide when a job fires. */
export interface Timetable {
  readonly cron?: string | undefined;
  readonly timeZone: string | undefined;
  readonly clockChange: ClockChange;
}

/** The last fire time of a job up to an instant, both in milliseconds since the epoch; undefined if there is none. */
export function lastFireTime({ cron, timeZone, clockChange }: Timetable, notAfter: number): number | undefined {
  return cron ? new CronSchedule(cron, timeZone, clockChange).latest(notAfter, 0) : undefined;
}
