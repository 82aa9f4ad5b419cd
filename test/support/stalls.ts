import { monitorEventLoopDelay } from 'node:perf_hooks';
import { onTestFinished } from 'vitest';

const BEAT_MS = 10;

/**
 * @returns for how long at most this thread has been kept from running since, in milliseconds: nothing of it is sooner
 */
export function watchStalls(): () => number {
  const delays = monitorEventLoopDelay({ resolution: BEAT_MS });
  delays.enable();
  onTestFinished(() => void delays.disable());
  return () => Math.max(0, delays.max / 1e6 - BEAT_MS);
}
