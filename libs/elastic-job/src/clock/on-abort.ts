import { Listeners } from '../domain/index.js';

/** Listeners of a signal that `onAbort` has added. */
const listeners = new WeakMap<AbortSignal, Listeners<() => void>>();

/**
 * Calls back when a signal aborts that has not aborted yet. All listeners added here share one listener of the signal,
 * because adding and removing one on an event target takes twenty times as long. For signals that live long, such as a
 * session's.
 * @param listener must not throw
 * @returns a function that removes the listener
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const others = listeners.get(signal) ?? listen(signal);
  return others.add(listener);
}

function listen(signal: AbortSignal): Listeners<() => void> {
  const all = new Listeners<() => void>();
  listeners.set(signal, all);
  signal.addEventListener('abort', () => all.forEach((listener) => listener()), { once: true });
  return all;
}
