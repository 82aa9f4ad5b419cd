import type { ScheduleTime } from '../../clock/index.js';
import type { Span } from '../../domain/index.js';

/** An instant, in milliseconds since the epoch. */
export interface Instant {
  /** By the time by which fire times come in this process. */
  readonly own: number;
  /** By the time that instances share: what others have noted is compared with this one. */
  readonly shared: number;
}

/** A stretch of this process's time, and the same stretch of the shared time. */
export interface NotedSpan extends Span {
  readonly shared: Span;
}

export function instantNow(clock: ScheduleTime): Instant {
  return { own: clock.wallNow(), shared: clock.sharedNow() };
}

/** @param after undefined: since before this process could know */
export function spanUntil(until: Instant, after: Instant = { own: 0, shared: 0 }): NotedSpan {
  return { after: after.own, until: until.own, shared: { after: after.shared, until: until.shared } };
}
