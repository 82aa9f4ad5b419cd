import type { Clock, Timer } from '../../clock/index.js';

/** Beats within each span that is granted. */
const BEATS = 10;
const SHORTEST_BEAT_MS = 5;

/**
 * Until when a worker may act for its item, as far as its scheduler has granted it.
 *
 * A grant counts from when it may have been sent, not from when it is read: one that waited in the channel while this
 * process stood still is older than it looks. Beats bound that. Whatever had come before a beat was read before the
 * next one, so what is read now was sent after the last beat but one. While the application boots, which may block for
 * long, nothing is over yet: the run begins with a grant that is fresh.
 */
export class TaskHold {
  /** On the monotonic clock; undefined: nothing was granted yet, or nothing has to be. */
  private grantedUntil: number | undefined;
  private limitAt = Infinity;
  private onLimit = (): void => {};
  private hasBegun = false;
  private isLost = false;
  private beats: { readonly before: number; readonly last: number };
  private readonly timers: { over?: Timer; limit?: Timer; beat?: Timer } = {};
  private wake = (): void => {};

  /** @param onOver it is over, unless by its limit; called once */
  constructor(
    private readonly clock: Clock,
    private readonly onOver: (reason: unknown) => void,
  ) {
    const now = clock.monotonicNow();
    this.beats = { before: now, last: now };
  }

  /** Synchronous, so also right after a pause of the process. */
  get isHeld(): boolean {
    if (this.isLost) return false;
    if (this.clock.monotonicNow() >= this.limitAt) this.end(this.onLimit);
    else if (this.hasBegun && !this.isFresh)
      this.lose(new Error('The scheduler has not been heard for as long as it had granted.'));
    return !this.isLost;
  }

  /**
   * The run is about to begin. Resolves once it may, or once it is over.
   * @param isGranted the scheduler grants it; otherwise there is nobody who could
   */
  async begin(isGranted: boolean): Promise<void> {
    if (isGranted) await this.freshGrant();
    this.hasBegun = true;
    this.watchGrant();
  }

  /** @param ms how long it may act from now on without another grant */
  grant(ms: number): void {
    // A hold that is over stays over, also if the next grant waits in the channel already.
    if (!this.isHeld) return;
    this.grantedUntil = this.beats.before + ms;
    this.timers.beat ??= this.beatEach(Math.max(SHORTEST_BEAT_MS, ms / BEATS));
    this.watchGrant();
    this.wake();
  }

  /**
   * It is over then, whatever is granted.
   * @param at on the monotonic clock
   */
  limit(at: number, onLimit: () => void): void {
    this.limitAt = at;
    this.onLimit = onLimit;
    this.timers.limit = this.lookAt(at);
  }

  lose(reason: unknown): void {
    this.end(() => this.onOver(reason));
  }

  /** The run is over, and nobody asks any more. */
  stop(): void {
    for (const timer of Object.values(this.timers)) timer.cancel();
  }

  private async freshGrant(): Promise<void> {
    while (this.isHeld && (this.grantedUntil === undefined || !this.isFresh)) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  private get isFresh(): boolean {
    return this.grantedUntil === undefined || this.clock.monotonicNow() < this.grantedUntil;
  }

  private end(tell: () => void): void {
    if (this.isLost) return;
    this.isLost = true;
    this.stop();
    tell();
    this.wake();
  }

  private watchGrant(): void {
    if (!this.hasBegun || this.grantedUntil === undefined || this.isLost) return;
    this.timers.over?.cancel();
    this.timers.over = this.lookAt(this.grantedUntil);
  }

  private lookAt(at: number): Timer {
    return this.after(Math.max(0, at - this.clock.monotonicNow()), () => void this.isHeld);
  }

  private beatEach(ms: number): Timer {
    return this.after(ms, () => {
      this.beats = { before: this.beats.last, last: this.clock.monotonicNow() };
      this.timers.beat = this.beatEach(ms);
    });
  }

  /** None of its timers keeps the process. */
  private after(ms: number, callback: () => void): Timer {
    const timer = this.clock.setTimer(ms, callback);
    timer.unref?.();
    return timer;
  }
}
