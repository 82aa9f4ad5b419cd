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
      for (const signal of signals) signal?.removeEventListener('abort', abort);
    };
    const abort = () => {
      end();
      reject(signals.find((signal) => signal?.aborted)?.reason);
    };
    const disarm = arm((value) => {
      end();
      resolve(value);
    });
    for (const signal of signals) signal?.addEventListener('abort', abort);
  });
}
