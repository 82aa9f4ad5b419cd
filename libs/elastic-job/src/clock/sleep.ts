import type { Clock } from './clock.js';

/**
 * `Clock.sleep` in terms of `Clock.setTimer`, for the clocks themselves. However it ends, neither timer nor listener is
 * left.
 * @throws the signal's reason as soon as `signal` aborts.
 */
export function sleepOn(clock: Pick<Clock, 'setTimer'>, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = clock.setTimer(ms, () => {
      signal?.removeEventListener('abort', giveUp);
      resolve();
    });
    const giveUp = (): void => {
      timer.cancel();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', giveUp, { once: true });
  });
}
