import type { ClockChange } from '../schedule/index.js';

/**
 * A rule for clock changes, or `auto`: `natural` among our own instances, `quartz` as long as the job has a Java peer.
 * By `natural` a cron that names all 24 hours, as `*` or otherwise, runs by elapsed time, so both passes of a doubled
 * hour fire. Other hours are wall time: the first pass fires, and skipped times fire once, right after the gap. By
 * `quartz` the second pass alone fires, whatever the hours, and a skipped time does not.
 */
export type ClockChangeOption = ClockChange | 'auto';

/** Resolves the rule in force. @param firesByQuartz true if the job has a Java peer, which fires by Quartz's rule */
export function resolveClockChange(option: ClockChangeOption, firesByQuartz: boolean): ClockChange {
  if (option !== 'auto') return option;
  return firesByQuartz ? 'quartz' : 'natural';
}
