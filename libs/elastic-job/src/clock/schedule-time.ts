import type { Clock } from './clock.js';

/** Time by which fire times come in a process. In milliseconds since the epoch. */
export interface ScheduleTime {
  wallNow(): number;
  /** Time that instances share: instants of several instances can be compared. */
  sharedNow(): number;
}

/** The host's clock, for use without a comparison of clocks. */
export function hostTime(clock: Pick<Clock, 'wallNow'>): ScheduleTime {
  return { wallNow: () => clock.wallNow(), sharedNow: () => clock.wallNow() };
}
