/** As much of an `AbortState` as those need who heed it. */
export interface Abortable {
  readonly aborted: boolean;
  readonly reason: unknown;
  /** Calls back when it is aborted, unless it is already. @returns a function that ends it */
  onAbort(listener: () => void): () => void;
}

/**
 * An `AbortController` as plain data: nearly all runs end without being aborted, and nobody asks for the
 * signal of most of them. The signal is made when it is asked for, since that costs as much as the rest of a short run.
 */
export class AbortState implements Abortable {
  private state: { readonly reason: unknown } | undefined;
  private listeners: Set<() => void> | undefined;
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

  /** The first reason stands. Those who listen to the state hear of it before those who listen to its signal. */
  abort(reason: unknown): void {
    if (this.state !== undefined) return;
    this.state = { reason };
    const { listeners } = this;
    this.listeners = undefined;
    for (const listener of listeners ?? []) listener();
    this.controller?.abort(reason);
  }

  onAbort(listener: () => void): () => void {
    if (this.state !== undefined) return () => {};
    const listeners = (this.listeners ??= new Set());
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }
}
