import { type Clock, onAbort } from '../../../clock/index.js';

/**
 * Waits for `work`, for at most `limitMs` milliseconds and until `signal` aborts. The work itself goes on. If the
 * process was busy or stopped and notices the limit late, results that have arrived meanwhile still count.
 * @throws the error of `late` after the limit, or the signal's reason
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
