import { monitorEventLoopDelay } from 'node:perf_hooks';
import { onTestFinished } from 'vitest';

const BEAT_MS = 10;

/**
 * Measures stalls from now on.
 * @returns a function that gives the longest time, in milliseconds, for which this thread was kept from running since
 */
export function watchStalls(): () => number {
  const delays = monitorEventLoopDelay({ resolution: BEAT_MS });
  delays.enable();
  onTestFinished(() => void delays.disable());
  return () => Math.max(0, delays.max / 1e6 - BEAT_MS);
}
