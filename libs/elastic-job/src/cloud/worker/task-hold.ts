import type { Clock, Timer } from '../../clock/index.js';

/** Beats within each granted span. */
const BEATS = 10;
const SHORTEST_BEAT_MS = 5;

/**
 * How long a worker may act for its item, as its scheduler has granted it.
 *
 * A grant counts from its earliest possible sending, not from its reading: one that waited in the channel while this
 * process stood still is older than it looks. Beats bound that time: everything that arrived before a beat was read
 * before the next one, so what is read now was sent after the last beat but one. While the application boots, which may
 * block for long, no grant expires: the run begins with a fresh grant.
 */
export class TaskHold {
  /** On the monotonic clock; undefined if nothing was granted yet, or no grant is needed. */
  private grantedUntil: number | undefined;
  private limitAt = Infinity;
  private onLimit = (): void => {};
  private hasBegun = false;
  private isLost = false;
  private beats: { readonly before: number; readonly last: number };
  private readonly timers: { over?: Timer; limit?: Timer; beat?: Timer } = {};
  private wake = (): void => {};

  /** @param onOver called once when it is over, except by its limit */
  constructor(
    private readonly clock: Clock,
    private readonly onOver: (reason: unknown) => void,
  ) {
    const now = clock.monotonicNow();
    this.beats = { before: now, last: now };
  }

  /** Synchronous, so exact also right after a pause of the process. */
  get isHeld(): boolean {
    if (this.isLost) return false;
    if (this.clock.monotonicNow() >= this.limitAt) this.end(this.onLimit);
    else if (this.hasBegun && !this.isFresh)
      this.lose(new Error('The scheduler has sent nothing for longer than the time that it had granted.'));
    return !this.isLost;
  }

  /**
   * Call before the run begins. Resolves once it may begin, or once it is over.
   * @param isGranted true if a scheduler grants it; false if there is none
   */
  async begin(isGranted: boolean): Promise<void> {
    if (isGranted) await this.freshGrant();
    this.hasBegun = true;
    this.watchGrant();
  }

  /** @param ms how long the worker may act without another grant */
  grant(ms: number): void {
    // A hold that is over stays over, even if the next grant waits in the channel already.
    if (!this.isHeld) return;
    this.grantedUntil = this.beats.before + ms;
    this.timers.beat ??= this.beatEach(Math.max(SHORTEST_BEAT_MS, ms / BEATS));
    this.watchGrant();
    this.wake();
  }

  /**
   * Ends the hold at this time, whatever is granted.
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

  /** Call when the run is over: no further checks. */
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

  /** Its timers must not keep the process alive. */
  private after(ms: number, callback: () => void): Timer {
    const timer = this.clock.setTimer(ms, callback);
    timer.unref?.();
    return timer;
  }
}
