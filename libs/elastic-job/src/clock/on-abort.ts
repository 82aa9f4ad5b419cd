import { SparseSet } from '../domain/index.js';

/** Listeners of a signal that `onAbort` has added. */
const listeners = new WeakMap<AbortSignal, SparseSet<() => void>>();

/**
 * Calls back when a signal aborts that has not aborted yet. All listeners added here share one listener of the signal,
 * because adding and removing one on an event target takes twenty times as long. For signals that live long, such as a
 * session's.
 * @param listener must not throw
 * @returns a function that removes the listener
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
