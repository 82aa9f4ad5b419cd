import { Listeners } from '../domain/index.js';

/** Listeners for the abort of one signal. */
interface Waiting {
  readonly all: Listeners<() => void>;
  /** The one listener of the signal. Node warns of a leak where a signal has more than ten. */
  readonly listener: () => void;
  /** Waits that are not over. */
  waits: number;
  /** True if the listener is left on the signal as long as that lives. */
  stays: boolean;
}

const known = new WeakMap<AbortSignal, Waiting>();

/**
 * Calls back when a signal aborts that has not aborted yet. The listener of the signal that all share stays, because
 * adding and removing one on an event target takes twenty times as long. For signals that live long, such as a
 * session's.
 * @param listener must not throw
 * @returns a function that removes the listener
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const waiting = waitingFor(signal);
  waiting.stays = true;
  return waiting.all.add(listener);
}

/**
 * `onAbort` for any signal: once no wait is left, neither is a listener of the signal. Node keeps a signal of
 * `AbortSignal.any` or `AbortSignal.timeout` in memory as long as it has one.
 * @returns a function that removes the listener; call it once
 */
export function whileWaiting(signal: AbortSignal, listener: () => void): () => void {
  const waiting = waitingFor(signal);
  waiting.waits += 1;
  const remove = waiting.all.add(listener);
  return () => {
    remove();
    waiting.waits -= 1;
    if (waiting.waits > 0 || waiting.stays) return;
    signal.removeEventListener('abort', waiting.listener);
    known.delete(signal);
  };
}

function waitingFor(signal: AbortSignal): Waiting {
  const present = known.get(signal);
  if (present !== undefined) return present;
  const all = new Listeners<() => void>();
  const waiting = { all, listener: () => all.forEach((listener) => listener()), waits: 0, stays: false };
  signal.addEventListener('abort', waiting.listener, { once: true });
  known.set(signal, waiting);
  return waiting;
}
