import type { Clock } from '../clock/index.js';

/** Growth of the pauses. */
export interface BackOffOptions {
  /** Milliseconds. */
  readonly firstMs: number;
  /** Milliseconds. */
  readonly longestMs: number;
  /** Failures in a row that no pause follows. @default 0 */
  readonly withoutPause?: number;
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
    const { firstMs, withoutPause = 0 } = this.options;
    const doublings = this.failures - withoutPause - 1;
    if (doublings < 0) return 0;
    const bound = Math.min(longestMs, firstMs * 2 ** Math.min(doublings, 20));
    return bound * (0.5 + this.clock.random() / 2);
  }

  /** Waits for the next pause, or until the signal aborts. Never rejects. */
  async pause(signal: AbortSignal | undefined): Promise<void> {
    const ms = this.nextMs();
    if (ms > 0) await this.clock.sleep(ms, signal).catch(() => {}); // Ended early.
  }
}
