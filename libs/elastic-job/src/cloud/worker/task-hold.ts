import { type Clock, type Timer, waitUntil } from '../../clock/index.js';
import { Listeners } from '../../domain/index.js';

/**
 * How long a worker may act for its item, as its scheduler has granted it.
 *
 * A handler may block the event loop for longer than a grant lasts, and the scheduler goes on granting meanwhile. So
 * the end of the last grant that was read is a question, not a verdict: what waits unread is read before the hold is
 * over. While the application boots no grant expires: the run begins with a fresh grant.
 */
export class TaskHold {
  /** On the monotonic clock; undefined if nothing was granted yet, or no grant is needed. */
  private grantedUntil: number | undefined;
  private limitAt = Infinity;
  private onLimit = (): void => {};
  private hasBegun = false;
  private isLost = false;
  private readonly timers: { over?: Timer; limit?: Timer } = {};
  private readonly changes = new Listeners<() => void>();

  /**
   * @param onOver called once when it is over, except by its limit
   * @param catchUp reads the news that wait, synchronously, until they are enough; they may grant or lose this hold
   */
  constructor(
    private readonly clock: Clock,
    private readonly onOver: (reason: unknown) => void,
    private readonly catchUp: (isEnough: () => boolean) => void,
  ) {}

  /** Synchronous, so exact also right after a pause of the process. */
  get isHeld(): boolean {
    if (this.isLost) return false;
    if (this.clock.monotonicNow() >= this.limitAt) this.end(this.onLimit);
    else if (this.hasBegun && !this.isFresh) this.ask();
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

  /**
   * @param ms how long the worker may act without another grant; 0 for one that has come too late
   * @param since from when that counts, on the monotonic clock
   */
  grant(ms: number, since = this.clock.monotonicNow()): void {
    // A hold that is over stays over.
    if (this.isLost) return;
    this.grantedUntil = since + ms;
    this.watchGrant();
    this.changes.forEach((look) => look());
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
    const isOver = () => !this.isHeld || (this.grantedUntil !== undefined && this.isFresh);
    await waitUntil(isOver, (look) => this.changes.add(look));
  }

  /** The last grant has ended; a later one may wait in the channel. */
  private ask(): void {
    this.catchUp(() => this.isLost || this.isFresh);
    if (!this.isFresh)
      this.lose(new Error('The scheduler has sent nothing for longer than the time that it had granted.'));
  }

  private get isFresh(): boolean {
    return this.grantedUntil === undefined || this.clock.monotonicNow() < this.grantedUntil;
  }

  private end(report: () => void): void {
    if (this.isLost) return;
    this.isLost = true;
    this.stop();
    report();
    this.changes.forEach((look) => look());
  }

  private watchGrant(): void {
    if (!this.hasBegun || this.grantedUntil === undefined || this.isLost) return;
    this.timers.over?.cancel();
    this.timers.over = this.lookAt(this.grantedUntil);
  }

  /** The timer must not keep the process alive. */
  private lookAt(at: number): Timer {
    const timer = this.clock.setTimer(Math.max(0, at - this.clock.monotonicNow()), () => void this.isHeld);
    timer.unref?.();
    return timer;
  }
}
