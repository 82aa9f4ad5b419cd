import { Listeners } from '../domain/index.js';

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
