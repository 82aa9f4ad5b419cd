// Fire times of a job: cron expressions, time zones and clock changes.
export { type CronFieldName, CronSyntaxError } from './cron-field.js';
export {
  type ClockChange,
  type ClockChangeOption,
  CronSchedule,
  findEnd,
  findEndFault,
  findNeverFault,
  lastFireTime,
  Schedules,
  type Timetable,
  timetableOf,
} from './cron-schedule.js';
export { nextFireTimes, type NextFireTimesOptions, shortestIntervalMs } from './next-fire-times.js';
export { TimeZoneError } from './time-zone.js';
export { findQuartzOfUnix, unixToQuartz } from './unix-cron.js';
