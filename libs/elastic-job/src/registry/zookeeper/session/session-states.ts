import { waitFor } from '../../../clock/index.js';
import { Listeners } from '../../../domain/index.js';
import type { SessionInfo } from '../../registry-center.js';
import { isolated } from '../wire/index.js';

/** The present state of the session, and the listeners for its changes. */
export class SessionStates {
  private readonly listeners = new Listeners<(session: SessionInfo) => void>();

  constructor(public info: SessionInfo) {}

  /** @returns a function that removes the listener */
  onChange(listener: (session: SessionInfo) => void): () => void {
    return this.listeners.add(listener);
  }

  /** Resolves at the next change. Those who wait for it have limits of their own. */
  async next(): Promise<void> {
    await waitFor((goOn) => this.onChange(goOn));
  }

  /** Sets the state, and tells the listeners if it differs. */
  become(change: Partial<SessionInfo>): void {
    const before = this.info.state;
    const info = { ...this.info, ...change };
    this.info = info;
    if (info.state === before) return;
    // A listener that is added by another one hears only the next change.
    this.listeners.forEach((listener) => isolated(() => listener(info)));
  }
}
