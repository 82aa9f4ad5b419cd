import { lastFireTimeOf, type StoredRecord } from './run-record.js';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;
/** A run that lasted so long has nothing to do with the failures before it. */
const STEADY_RUN_MS = 60_000;

/**
 * How long an item of a resident job that has ended waits until it is started again, in milliseconds: twice as long as
 * the last time, from 100 ms to 30 s, while its runs are short. So a crash loop costs little.
 * @param lastPauseMs before the run that has ended; undefined if that was the first one here
 * @param ranMs how long that run lasted
 */
export function residentPauseMs(lastPauseMs: number | undefined, ranMs: number): number {
  if (lastPauseMs === undefined || ranMs >= STEADY_RUN_MS) return FIRST_PAUSE_MS;
  return Math.min(2 * lastPauseMs, LONGEST_PAUSE_MS);
}

/**
 * The fire time of the next begin of a resident job's item, in milliseconds since the epoch: the instant of the begin,
 * or one after the last target where that is later. So clocks that differ or are set back make no target twice.
 * @param now by the clock of whoever begins it
 */
export function residentFireTime(stored: StoredRecord, now: number): number {
  return Math.max(now, (lastFireTimeOf(stored) ?? -Infinity) + 1);
}
