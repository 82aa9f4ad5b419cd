import type { ScheduleTime } from '../../clock/index.js';
import type { Span } from '../../domain/index.js';

/** An instant, in milliseconds since the epoch. */
export interface Instant {
  /** By the clock that decides fire times in this process. */
  readonly own: number;
  /** By the time that instances share, for comparison with instants noted by others. */
  readonly shared: number;
}

/** A span of this process's time, and the same span in shared time. */
export interface NotedSpan extends Span {
  readonly shared: Span;
}

/** Before this process could know. */
export const UNKNOWN: Instant = { own: 0, shared: 0 };

export function instantNow(clock: ScheduleTime): Instant {
  return { own: clock.wallNow(), shared: clock.sharedNow() };
}

export function spanUntil(until: Instant, after: Instant = UNKNOWN): NotedSpan {
  return { after: after.own, until: until.own, shared: { after: after.shared, until: until.shared } };
}
