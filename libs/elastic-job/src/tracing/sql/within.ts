import { type Clock, Deadline } from '../../clock/index.js';
import { HistoryTimeoutError } from './history.errors.js';

/**
 * Waits for work that cannot be cancelled, with a time limit.
 * @throws {HistoryTimeoutError} after `timeoutMs` milliseconds; a later result is ignored
 */
export function within<T>(clock: Clock, timeoutMs: number, work: Promise<T>): Promise<T> {
  const late = (): never => {
    throw new HistoryTimeoutError(timeoutMs);
  };
  return Deadline.after(clock, timeoutMs).bounds(work, late);
}
