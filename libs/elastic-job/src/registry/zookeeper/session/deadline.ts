import { type Clock, onAbort } from '../../../clock/index.js';

/**
 * Waits for `work`, but no longer than `limitMs` milliseconds and only until `signal` aborts. The work itself goes on.
 * If the limit is noticed late, because the process was busy or stopped, what has arrived meanwhile still counts.
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
    let isSettled = false;
    const end = (conclude: () => void) => {
      if (isSettled) return;
      isSettled = true;
      timer.cancel();
      off?.();
      conclude();
    };
    const expire = () => void clock.nextTurn().then(() => end(() => reject(late())));
    const timer = clock.setTimer(limitMs, expire);
    const abort = () => end(() => reject(signal?.reason));
    const off = signal && onAbort(signal, abort);
    work.then(
      (value) => end(() => resolve(value)),
      (error: unknown) => end(() => reject(error)),
    );
  });
}
