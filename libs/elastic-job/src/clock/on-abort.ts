import { SparseSet } from '../domain/index.js';

/** Those that listen to a signal through `onAbort`. */
const listeners = new WeakMap<AbortSignal, SparseSet<() => void>>();

/**
 * Calls back when a signal aborts that has not aborted yet. All who listen this way share one listener of the signal:
 * an event target takes twenty times as long to add and remove one. For signals that live long, as a session's does.
 * @param listener must not throw
 * @returns a function that ends it
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const others = listeners.get(signal) ?? listen(signal);
  others.add(listener);
  return () => void others.delete(listener);
}

function listen(signal: AbortSignal): SparseSet<() => void> {
  const all = new SparseSet<() => void>();
  listeners.set(signal, all);
  const tell = () => {
    for (const listener of all) listener();
    all.clear();
  };
  signal.addEventListener('abort', tell, { once: true });
  return all;
}
