import { isolated } from '../wire/index.js';

/** Listeners for conditions that could eventually cost the session. */
export class Warnings {
  private readonly listeners = new Set<(message: string) => void>();

  /** @returns a function that removes the listener */
  on(listener: (message: string) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  tell(message: string): void {
    for (const listener of new Set(this.listeners)) isolated(() => listener(message));
  }
}
