/**
 * What the registry's wall clock shows, as far as it is known: an instant from `earliest` to `latest`, in milliseconds
 * since the epoch.
 */
export interface TimeInterval {
  readonly earliest: number;
  readonly latest: number;
}

/** An interval as it was known at an instant of this process's monotonic clock. */
export interface TimeEstimate extends TimeInterval {
  /** On the monotonic clock, in milliseconds. */
  readonly at: number;
}

/** The registry's answer to a write of this process. */
interface TimeSample {
  /** The registry's wall clock while it wrote, in milliseconds since the epoch. */
  readonly time: number;
  /** Before the write was sent, and when its answer was here; on the monotonic clock, in milliseconds. */
  readonly sent: number;
  readonly received: number;
}

/** Two sound clocks drift apart by less: 200 millionths of the time that passes. */
const DRIFT = 200e-6;
/** A registry tells full milliseconds. */
const RESOLUTION_MS = 1;

/** What an estimate is worth at a later instant: wider by what the clocks may have drifted apart since. */
export function timeAt({ earliest, latest, at }: TimeEstimate, monotonicMs: number): TimeInterval {
  const age = Math.max(0, monotonicMs - at);
  return { earliest: earliest + age * (1 - DRIFT), latest: latest + age * (1 + DRIFT) };
}

/**
 * The estimate after one more sample. A sample that contradicts what was known replaces it: one of the clocks was set.
 */
export function refineTime(known: TimeEstimate | undefined, { time, sent, received }: TimeSample): TimeEstimate {
  const fresh = { earliest: time, latest: time + RESOLUTION_MS + (received - sent), at: received };
  if (known === undefined) return fresh;
  const old = timeAt(known, received);
  const earliest = Math.max(old.earliest, fresh.earliest);
  const latest = Math.min(old.latest, fresh.latest);
  return earliest <= latest ? { earliest, latest, at: received } : fresh;
}

/**
 * So far a wall clock is from the registry's, at least, in milliseconds: positive if it is ahead, 0 where both may
 * agree.
 */
export function clockOffsetMs(wallMs: number, { earliest, latest }: TimeInterval): number {
  return Math.max(0, wallMs - latest) - Math.max(0, earliest - wallMs);
}
