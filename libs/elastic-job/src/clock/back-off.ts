import type { Clock } from './clock.js';

/** Growth of the pauses, in milliseconds. */
export interface BackOffOptions {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Pauses before the next attempt after failures: doubled each time, and randomized. */
export class BackOff {
  /** Number of failed attempts since the last success. */
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
    await this.clock.sleep(this.nextMs(), signal).catch(() => {}); // Ended early.
  }
}
