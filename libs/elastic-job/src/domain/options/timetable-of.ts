import type { Timetable } from '../schedule/index.js';
import { resolveClockChange } from './clock-change-option.js';
import type { JobConfiguration } from './job-configuration.js';

/** When a job fires. @param isMixed the job has a Java peer */
export function timetableOf(
  { cron, timeZone, clockChange }: Pick<JobConfiguration, 'cron' | 'timeZone' | 'clockChange'>,
  isMixed: boolean,
): Timetable {
  return { cron, timeZone, clockChange: resolveClockChange(clockChange, isMixed) };
}
