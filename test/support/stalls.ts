import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

const BEAT_MS = 10;

/**
 * Measures stalls from now on.
 * @returns a function that gives the longest time, in milliseconds, for which this thread was kept from running since
 */
export function watchStalls(): () => number {
  const delays = measureDelays();
  onTestFinished(() => void delays.disable());
  return () => Math.max(0, delays.max / 1e6 - BEAT_MS);
}

/**
 * Resolves when that many milliseconds have passed in which this thread could run: the time of all its stalls is added.
 * What has arrived by then is read first.
 * @throws the signal's reason
 */
export async function outlast(limitMs: number, signal: AbortSignal): Promise<void> {
  const delays = measureDelays();
  const begun = performance.now();
  const stalledMs = () => (delays.count === 0 ? 0 : delays.count * (delays.mean / 1e6 - BEAT_MS));
  const leftMs = () => limitMs + stalledMs() - (performance.now() - begun);
  try {
    for (let ms = limitMs; ms > 0; ms = leftMs()) {
      await delay(ms, undefined, { signal });
      await nextTurn();
    }
  } finally {
    delays.disable();
  }
}

function measureDelays(): IntervalHistogram {
  const delays = monitorEventLoopDelay({ resolution: BEAT_MS });
  delays.enable();
  return delays;
}
