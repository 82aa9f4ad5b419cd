import type { Clock, Timer } from '../../clock/index.js';

/** Ends a request when nothing has been heard for too long, or when its item is to stop. */
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

  /** The silence that was too long, in milliseconds; undefined if none was. */
  get elapsedMs(): number | undefined {
    return this.endedAfterMs;
  }

  /** Something was heard: from now on so much silence is too long. */
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
