import { waitFor } from '../../../clock/index.js';
import type { SessionInfo } from '../../registry-center.js';
import { isolated } from '../wire/index.js';

/** What is known of the session now, and who hears of its changes. */
export class SessionStates {
  private readonly listeners = new Set<(session: SessionInfo) => void>();

  constructor(public info: SessionInfo) {}

  /** @returns a function that removes the listener */
  onChange(listener: (session: SessionInfo) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Resolves at the next change. */
  next(): Promise<void> {
    return waitFor<void>((goOn) => this.onChange(() => goOn()));
  }

  /** Tells the listeners, if the state is another one. */
  become(change: Partial<SessionInfo>): void {
    const before = this.info.state;
    const info = { ...this.info, ...change };
    this.info = info;
    if (info.state === before) return;
    // A copy: a listener that is added by another one hears the next change first.
    for (const listener of new Set(this.listeners)) isolated(() => listener(info));
  }
}
