import { ElasticJobError } from '../errors.js';
import type { JobName } from './names.js';

/**
 * The time that the registry's wall clock shows, as an interval from `earliest` to `latest`, in milliseconds since the
 * epoch.
 */
export interface TimeInterval {
  readonly earliest: number;
  readonly latest: number;
}

/** A time interval, as it was known at one instant of this process's monotonic clock. */
export interface TimeEstimate extends TimeInterval {
  /** On the monotonic clock, in milliseconds. */
  readonly at: number;
}

/** One time sample: the registry's answer to a write of this process. */
interface TimeSample {
  /** The registry's wall clock during the write, in milliseconds since the epoch. */
  readonly time: number;
  /** Monotonic time before the write was sent, and when its answer arrived, in milliseconds. */
  readonly sent: number;
  readonly received: number;
}

/** Greatest drift between two sound clocks: 200 millionths of the elapsed time. */
const DRIFT = 200e-6;
/** The registry reports whole milliseconds. */
const RESOLUTION_MS = 1;

/** The estimate at a later instant: wider by the greatest drift since. */
export function timeAt({ earliest, latest, at }: TimeEstimate, monotonicMs: number): TimeInterval {
  const age = Math.max(0, monotonicMs - at);
  return { earliest: earliest + age * (1 - DRIFT), latest: latest + age * (1 + DRIFT) };
}

/**
 * The estimate after one more sample. A sample that contradicts the estimate replaces it, because one of the clocks was
 * set.
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
 * Least difference between a wall clock and the registry's, in milliseconds: positive if the wall clock is ahead, 0 if
 * both may agree.
 */
export function clockOffsetMs(wallMs: number, { earliest, latest }: TimeInterval): number {
  return Math.max(0, wallMs - latest) - Math.max(0, earliest - wallMs);
}

/**
 * This process's clock and the registry's differ by more than the job allows, so the trigger was not run.
 * @remarks Let NTP set the clock of the host and those of the servers, or raise `maxTimeDiffSeconds`.
 */
export class TimeDifferenceError extends ElasticJobError {
  readonly code = 'TIME_DIFFERENCE';

  constructor(
    readonly jobName: JobName,
    /** In milliseconds; positive if this process's clock is ahead. */
    readonly differenceMs: number,
    readonly maxTimeDiffSeconds: number,
  ) {
    const direction = differenceMs > 0 ? 'ahead of' : 'behind';
    super(
      `Job "${jobName}": this clock is ${Math.abs(differenceMs)} ms ${direction} the registry's, and ` +
        `maxTimeDiffSeconds allows ${maxTimeDiffSeconds} s; let NTP set it.`,
    );
  }
}
