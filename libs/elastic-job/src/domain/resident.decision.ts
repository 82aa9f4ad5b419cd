const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;
/** A run that lasted so long has nothing to do with the failures before it. */
const STEADY_RUN_MS = 60_000;

/**
 * How long an item of a resident job that has ended waits until it is started again, in milliseconds: twice as long as the
 * last time, from 100 ms to 30 s, while its runs are short. So a crash loop costs little.
 * @param lastPauseMs before the run that has ended; undefined if that was the first one here
 * @param ranMs how long that run lasted
 */
export function residentPauseMs(lastPauseMs: number | undefined, ranMs: number): number {
  if (lastPauseMs === undefined || ranMs >= STEADY_RUN_MS) return FIRST_PAUSE_MS;
  return Math.min(2 * lastPauseMs, LONGEST_PAUSE_MS);
}
