import type { JobSchedule } from '../history/index.js';
import type { FireTimes } from './fire-times.js';
import type { IndexedJob } from './indexed-job.js';

/** The schedule of a job, also of one that is disabled. */
export function scheduleOf(indexed: IndexedJob, fireTimes: FireTimes): JobSchedule {
  const { settings } = indexed;
  const timetable = fireTimes.in(settings, indexed.isQuartz);
  return {
    timeZone: settings.timeZone ?? null,
    shardingTotalCount: settings.total,
    changedAt: settings.writtenAt,
    nextFireTime: timetable && ((after) => timetable.after(after)),
  };
}
