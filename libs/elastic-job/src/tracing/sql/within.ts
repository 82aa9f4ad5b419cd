import type { Clock } from '../../clock/index.js';
import { HistoryTimeoutError } from './history.errors.js';

/**
 * Waits for work that cannot be called off, but not for ever.
 * @throws {HistoryTimeoutError} after `ms` milliseconds; what the work comes to is then nobody's concern
 */
export function within<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(ms, () => reject(new HistoryTimeoutError(ms)));
    work.then(resolve, reject).finally(() => timer.cancel());
  });
}
