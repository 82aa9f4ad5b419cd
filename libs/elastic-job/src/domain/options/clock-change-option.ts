import type { ClockChange } from '../schedule/index.js';

/**
 * A rule for clock changes, or `auto`: `natural` among our own instances, `quartz` as long as the job has a Java peer.
 */
export type ClockChangeOption = ClockChange | 'auto';

/** Resolves the rule in force. @param firesByQuartz true if the job has a Java peer, which fires by Quartz's rule */
export function resolveClockChange(option: ClockChangeOption, firesByQuartz: boolean): ClockChange {
  if (option !== 'auto') return option;
  return firesByQuartz ? 'quartz' : 'natural';
}
