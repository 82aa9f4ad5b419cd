// Fire times of a job: cron expressions, time zones and clock changes.
export { CronSchedule, type ClockChange } from './cron-schedule.js';
export { findEnd, findEndFault, findNeverFault } from './find-end.js';
export { lastFireTime, type Timetable } from './last-fire-time.js';
export { nextFireTimes, type NextFireTimesOptions } from './next-fire-times.js';
export { Schedules } from './schedules.js';
export { shortestIntervalMs } from './shortest-interval.js';
export { findQuartzOfUnix, unixToQuartz } from './unix-cron.js';
export { CronSyntaxError, TimeZoneError, type CronFieldName } from './schedule.errors.js';
