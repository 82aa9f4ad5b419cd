import type { Timetable } from '../schedule/index.js';
import { resolveClockChange } from './clock-change-option.js';
import type { JobConfiguration } from './job-configuration.js';

/** The timetable of a job. @param firesByQuartz true if the job has a Java peer, which fires by Quartz's rule */
export function timetableOf(
  { cron, timeZone, clockChange }: Pick<JobConfiguration, 'cron' | 'timeZone' | 'clockChange'>,
  firesByQuartz: boolean,
): Timetable {
  return { cron, timeZone, clockChange: resolveClockChange(clockChange, firesByQuartz) };
}
