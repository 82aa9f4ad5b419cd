import type { Clock, Timer } from '../../clock/index.js';

/** Ends a request after too long a silence, or when its item is to stop. */
export class SilenceTimer {
  readonly signal: AbortSignal;
  private readonly ending = new AbortController();
  private timer: Timer | undefined;
  private endedAfterMs: number | undefined;

  constructor(
    private readonly clock: Clock,
    itemSignal: AbortSignal,
  ) {
    this.signal = AbortSignal.any([itemSignal, this.ending.signal]);
  }

  /** Length of the silence that was too long, in milliseconds; undefined if there was none. */
  get elapsedMs(): number | undefined {
    return this.endedAfterMs;
  }

  /** Restarts the silence after a sign of life, with this limit from now on. */
  limit(ms: number): void {
    this.timer?.cancel();
    this.timer = this.clock.setTimer(ms, () => {
      this.endedAfterMs = ms;
      this.ending.abort();
    });
  }

  stop(): void {
    this.timer?.cancel();
  }
}
