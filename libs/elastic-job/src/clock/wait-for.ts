/**
 * Waits until `arm` calls back. However it ends, no listener is left, and what `arm` has returned was called.
 * @param arm begins to wait and returns what ends that; it calls back later, never before it returns
 * @throws the reason of a signal, as soon as one of them aborts
 */
export function waitFor<T>(
  arm: (conclude: (value: T) => void) => () => void,
  ...signals: readonly (AbortSignal | undefined)[]
): Promise<T> {
  // No AbortSignal.any: Node 20 keeps something of each as long as any of its signals lives, and some live for a
  // session.
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
