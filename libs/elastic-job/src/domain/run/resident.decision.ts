import { lastFireTimeOf, type StoredRecord } from './run-record.js';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;
/** A run of this length is steady: earlier failures count no more. */
const STEADY_RUN_MS = 60_000;

/**
 * Pause before an ended item of a resident job is started again, in milliseconds: doubled after each short run, from
 * 100 ms to 30 s, so that a crash loop costs little.
 * @param lastPauseMs before the run that has ended; undefined if that was the first one here
 * @param ranMs how long that run lasted
 */
export function residentPauseMs(lastPauseMs: number | undefined, ranMs: number): number {
  if (lastPauseMs === undefined || ranMs >= STEADY_RUN_MS) return FIRST_PAUSE_MS;
  return Math.min(2 * lastPauseMs, LONGEST_PAUSE_MS);
}

/**
 * Fire time of the next begin of a resident job's item, in milliseconds since the epoch: now, or just after the last
 * target if that is later. So clocks that differ or are set back never repeat a target.
 * @param now by the clock of the instance that begins it
 */
export function residentFireTime(stored: StoredRecord, now: number): number {
  return Math.max(now, (lastFireTimeOf(stored) ?? -Infinity) + 1);
}
