import type { Clock } from './clock.js';

/** The time by which fire times come in a process. In milliseconds since the epoch. */
export interface ScheduleTime {
  wallNow(): number;
  /** The time that instances share: an instant that one notes is compared with those that others have noted. */
  sharedNow(): number;
}

/** The host's clock, where nobody judges it. */
export function hostTime(clock: Pick<Clock, 'wallNow'>): ScheduleTime {
  return { wallNow: () => clock.wallNow(), sharedNow: () => clock.wallNow() };
}
