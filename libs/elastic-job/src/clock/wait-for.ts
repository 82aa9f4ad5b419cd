import { Listeners } from '../domain/index.js';

/** Waits that one signal ends. */
interface Waits {
  readonly ends: Listeners<() => void>;
  count: number;
  /** The one listener of the signal. Node warns of a leak where a signal has more than ten. */
  readonly listener: () => void;
}

const waits = new WeakMap<AbortSignal, Waits>();

/**
 * Waits until `arm` calls back. However it ends, no listener is left, and the function that `arm` returned was called.
 * @param arm starts the wait and returns a function that ends it; it calls back later, never before it returns
 * @throws the reason of the first signal that aborts
 */
export function waitFor<T>(
  arm: (conclude: (value: T) => void) => () => void,
  ...signals: readonly (AbortSignal | undefined)[]
): Promise<T> {
  // Without AbortSignal.any: Node 20 keeps a part of each result as long as any of its signals lives, and some live for
  // a session.
  return new Promise((resolve, reject) => {
    for (const signal of signals) signal?.throwIfAborted();
    const end = () => {
      disarm();
      for (const stop of stops) stop();
    };
    const abort = () => {
      end();
      reject(signals.find((signal) => signal?.aborted)?.reason);
    };
    const disarm = arm((value) => {
      end();
      resolve(value);
    });
    const stops = signals.flatMap((signal) => (signal === undefined ? [] : whileWaiting(signal, abort)));
  });
}

/** Calls back when the signal aborts. @returns a function that removes the listener; call it once */
function whileWaiting(signal: AbortSignal, abort: () => void): () => void {
  const known = waits.get(signal) ?? listen(signal);
  known.count += 1;
  const remove = known.ends.add(abort);
  return () => {
    remove();
    known.count -= 1;
    if (known.count > 0) return;
    signal.removeEventListener('abort', known.listener);
    waits.delete(signal);
  };
}

function listen(signal: AbortSignal): Waits {
  const ends = new Listeners<() => void>();
  const known: Waits = { ends, count: 0, listener: () => ends.forEach((end) => end()) };
  signal.addEventListener('abort', known.listener);
  waits.set(signal, known);
  return known;
}
