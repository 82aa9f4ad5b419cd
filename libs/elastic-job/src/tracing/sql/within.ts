import type { Clock } from '../../clock/index.js';
import { HistoryTimeoutError } from './history.errors.js';

/**
 * Waits for work that cannot be cancelled, with a time limit.
 * @throws {HistoryTimeoutError} after `ms` milliseconds; a later result is ignored
 */
export function within<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(ms, () => reject(new HistoryTimeoutError(ms)));
    work.then(resolve, reject).finally(() => timer.cancel());
  });
}
