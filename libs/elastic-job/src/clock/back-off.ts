import type { Clock } from './clock.js';

/** How pauses grow, in milliseconds. */
export interface BackOffOptions {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** How long to wait before the next attempt, after some that failed: twice as long each time, and at random. */
export class BackOff {
  /** So many attempts have failed since the last success. */
  failures = 0;

  constructor(
    private readonly clock: Clock,
    private readonly options: BackOffOptions,
  ) {}

  failed(): void {
    this.failures += 1;
  }

  succeeded(): void {
    this.failures = 0;
  }

  /**
   * The next pause in milliseconds: between half of its bound and the bound, so that clients spread. 0 after a success.
   */
  nextMs(longestMs = this.options.longestMs): number {
    if (this.failures === 0) return 0;
    const bound = Math.min(longestMs, this.options.firstMs * 2 ** Math.min(this.failures - 1, 20));
    return bound * (0.5 + this.clock.random() / 2);
  }

  /** Waits for the next pause, or until the signal aborts. Never rejects. */
  async pause(signal: AbortSignal): Promise<void> {
    if (this.failures === 0) return;
    await this.clock.sleep(this.nextMs(), signal).catch(() => {}); // Cut short.
  }
}
