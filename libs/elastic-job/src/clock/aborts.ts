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

/** The part of an `AbortState` that its listeners need. */
export interface Abortable {
  readonly aborted: boolean;
  readonly reason: unknown;
  /** Calls back when it is aborted, unless it is already. @returns a function that removes the listener */
  onAbort(listener: () => void): () => void;
}

/**
 * An `AbortController` as plain data. Nearly all runs end without an abort, and most signals are never used. The signal
 * is created on first use, since that costs as much as the rest of a short run.
 */
export class AbortState implements Abortable {
  private state: { readonly reason: unknown } | undefined;
  private listeners: Listeners<() => void> | undefined;
  private controller: AbortController | undefined;

  get aborted(): boolean {
    return this.state !== undefined;
  }

  get reason(): unknown {
    return this.state?.reason;
  }

  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.state !== undefined) this.controller.abort(this.state.reason);
    }
    return this.controller.signal;
  }

  /** The first reason stands. Listeners of the state are called before those of its signal. */
  abort(reason: unknown): void {
    if (this.state !== undefined) return;
    this.state = { reason };
    const { listeners } = this;
    this.listeners = undefined;
    listeners?.forEach((listener) => listener());
    this.controller?.abort(reason);
  }

  onAbort(listener: () => void): () => void {
    if (this.state !== undefined) return () => {};
    this.listeners ??= new Listeners();
    return this.listeners.add(listener);
  }
}
