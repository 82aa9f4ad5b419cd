import type { ClockChange, Timetable } from '../schedule/index.js';
import type { JobConfiguration } from './job-configuration.js';

/**
 * A rule for clock changes, or `auto`: `natural` among our own instances, `quartz` as long as the job has a Java peer.
 */
export type ClockChangeOption = ClockChange | 'auto';

/** When a job fires. @param isMixed the job has a Java peer */
export function timetableOf(
  { cron, timeZone, clockChange }: Pick<JobConfiguration, 'cron' | 'timeZone' | 'clockChange'>,
  isMixed: boolean,
): Timetable {
  return { cron, timeZone, clockChange: resolveClockChange(clockChange, isMixed) };
}

/** The rule in force. @param isMixed the job has a Java peer, which fires by Quartz's rule */
export function resolveClockChange(option: ClockChangeOption, isMixed: boolean): ClockChange {
  if (option !== 'auto') return option;
  return isMixed ? 'quartz' : 'natural';
}
