// Covered by test/scenario/after-clocks.spec.ts
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

/** Before this process could know. */
export const UNKNOWN: Instant = { own: 0, shared: 0 };

export function instantNow(clock: ScheduleTime): Instant {
  return { own: clock.wallNow(), shared: clock.sharedNow() };
}

export function spanUntil(until: Instant, after: Instant = UNKNOWN): NotedSpan {
  return { after: after.own, until: until.own, shared: { after: after.shared, until: until.shared } };
}
