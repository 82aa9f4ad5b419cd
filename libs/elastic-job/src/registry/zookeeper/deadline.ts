import type { Clock } from '../../clock/index.js';

/**
 * Waits for `work`, but no longer than `limitMs` milliseconds and only until `signal` aborts. The work itself goes on.
 * @throws what `late` makes after the limit, or the signal's reason
 */
export function bounded<T>(
  work: Promise<T>,
  clock: Clock,
  limitMs: number,
  late: () => Error,
  signal?: AbortSignal,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(limitMs, () => end(() => reject(late())));
    const abort = () => end(() => reject(signal?.reason));
    const end = (settle: () => void) => {
      timer.cancel();
      signal?.removeEventListener('abort', abort);
      settle();
    };
    signal?.addEventListener('abort', abort);
    work.then(
      (value) => end(() => resolve(value)),
      (error: unknown) => end(() => reject(error)),
    );
  });
}
