import type { Clock } from '../../clock/index.js';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;

/** How long to wait before the next attempt, after some that failed. */
export class BackOff {
  /** So many attempts have failed since the last success. */
  failures = 0;

  constructor(private readonly clock: Clock) {}

  failed(): void {
    this.failures += 1;
  }

  succeeded(): void {
    this.failures = 0;
  }

  /** Waits longer with each failure, up to half a second, and at random, so that clients spread. Never rejects. */
  async pause(signal: AbortSignal): Promise<void> {
    if (this.failures === 0) return;
    const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(this.failures, 10));
    const ms = longest * (0.5 + this.clock.random() / 2);
    await this.clock.sleep(ms, signal).catch(() => {});
  }
}
