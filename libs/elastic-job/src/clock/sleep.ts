import type { Clock } from './clock.js';
import { waitFor } from './wait-for.js';

/**
 * `Clock.sleep` on top of `Clock.setTimer`, for the clocks themselves. Neither timer nor listener is left, however it
 * ends.
 * @throws the signal's reason as soon as `signal` aborts.
 */
export function sleepOn(clock: Pick<Clock, 'setTimer'>, ms: number, signal?: AbortSignal): Promise<void> {
  return waitFor<void>((wake) => {
    const timer = clock.setTimer(ms, () => wake());
    return () => timer.cancel();
  }, signal);
}
