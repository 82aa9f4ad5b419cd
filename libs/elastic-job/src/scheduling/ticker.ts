import type { Clock, Timer } from '../clock/index.js';

/** Longest time until a stepped wall clock is noticed. */
const LONGEST_WAIT_MS = 60_000;

/**
 * The fire times of a job, for a ticker: a `CronSchedule`, or any other pure rule. All instants are milliseconds since
 * the epoch.
 */
export interface Schedule {
  /** The first fire time after an instant; undefined if there is none. */
  next(after: number): number | undefined;
  /** The last fire time after `after` and not after `notAfter`; undefined if there is none. */
  latest(notAfter: number, after: number): number | undefined;
}

/** Parts of the clock that a ticker needs. @see Clock */
export type TickClock = Pick<Clock, 'monotonicNow' | 'setTimer' | 'wallNow'>;

type FireAnswer = void | boolean;

/** Receiver of a ticker's fire times. */
export interface TickListener {
  /**
   * Called when a fire time has come. The next one does not wait for the promise.
   * @param fireTime milliseconds since the epoch
   * @param timerAt moment on the monotonic clock for which the timer was set, as precisely as the wall clock shows
   * milliseconds
   * @returns false if it is still to come by a better clock than the wall clock. Then it is waited for again
   */
  onFire(fireTime: number, timerAt: number): FireAnswer | Promise<FireAnswer>;
  /**
   * Called for a reported fire time that comes again because the wall clock was set back. Must not throw.
   * @default ignored
   */
  onAgain?(fireTime: number): void;
  /** Called when `onFire` threw or rejected; also after a stop, if the promise was under way. Must not throw. */
  onError(error: unknown): void;
}

/**
 * Turns one schedule into fire times, by the wall clock and with one timer.
 *
 * - A fire time is never early. If the wall clock is set back by up to a minute, no fire time is reported twice: what
 *   it passes again goes to `onAgain`. If it is set back by more, the next due one may be reported again: records know
 *   what was begun.
 * - It may be late, if the process was blocked or the wall clock was set forward, but it is not skipped. If several
 *   have come meanwhile, only the latest is reported: the others are the business of the misfire rules.
 * - Fire times while stopped or paused are not reported later. Nothing fires after `stop` or `pause` has returned.
 */
export class Ticker {
  private schedule: Schedule | undefined;
  private timer: Timer | undefined;
  private next: number | undefined;
  /** Moment on the monotonic clock at which the timer is due. */
  private timerAt = 0;
  private last = -Infinity;

  constructor(
    private readonly clock: TickClock,
    private readonly listener: TickListener,
  ) {}

  /** True from `start` until `stop`, also while paused. */
  get isStarted(): boolean {
    return this.schedule !== undefined;
  }

  /** True from `start` or `resume` until `stop` or `pause`. */
  get isRunning(): boolean {
    return this.timer !== undefined;
  }

  /** The fire time that is waited for; undefined if not running, or if the schedule has ended. */
  get nextFireTime(): number | undefined {
    return this.next;
  }

  /** The last fire time that was reported, or that was passed to `start`. */
  get lastFireTime(): number | undefined {
    return this.last === -Infinity ? undefined : this.last;
  }

  /**
   * Waits for the first fire time after now. Fire times up to `handled` go to `onAgain`. Replaces a running schedule.
   * @param handled the last fire time that was handled elsewhere for this job
   */
  start(schedule: Schedule, handled = -Infinity): void {
    this.schedule = schedule;
    this.last = Math.max(this.last, handled);
    this.arm(schedule, this.clock.wallNow());
  }

  /** Stops the schedule; `resume` has no effect until the next `start`. */
  stop(): void {
    this.pause();
    this.schedule = undefined;
  }

  pause(): void {
    this.timer?.cancel();
    this.timer = undefined;
    this.next = undefined;
  }

  /** Continues with fire times after now. Does nothing if it runs or was not started. */
  resume(): void {
    if (this.schedule !== undefined && !this.isRunning) this.arm(this.schedule, this.clock.wallNow());
  }

  /** Changes the schedule in force, also while paused. Does nothing if it was not started. */
  reschedule(schedule: Schedule): void {
    if (this.schedule === undefined) return;
    this.schedule = schedule;
    const now = this.clock.wallNow();
    // A fire time of the old schedule that has come is late, not cancelled: the timer is about to report it.
    if (this.isRunning && !hasCome(this.next, now)) this.arm(schedule, now);
  }

  /** Compares the wall clock, which may have been set, with the next fire time at once. */
  checkClock(): void {
    if (this.isRunning) this.wake();
  }

  private arm(schedule: Schedule, now: number): void {
    this.next = schedule.next(now);
    const wait = Math.min((this.next ?? Infinity) - now, LONGEST_WAIT_MS);
    this.timer?.cancel();
    this.timerAt = this.clock.monotonicNow() + wait;
    this.timer = this.clock.setTimer(wait, () => this.wake());
  }

  private wake(): void {
    const schedule = this.schedule;
    if (schedule === undefined) return;
    // Read once: a fire time between two readings would be neither waited for nor reported.
    const now = this.clock.wallNow();
    const { timerAt, next: due } = this;
    const fireTime = hasCome(due, now) ? (schedule.latest(now, due) ?? due) : undefined;
    const { last } = this;
    const isAgain = fireTime !== undefined && fireTime <= last && last - now <= LONGEST_WAIT_MS;
    if (fireTime !== undefined && !isAgain) this.last = fireTime;
    this.arm(schedule, now);
    if (fireTime === undefined) return;
    if (isAgain) this.listener.onAgain?.(fireTime);
    else void this.notify(fireTime, timerAt, last);
  }

  /** @param before the last fire time that was reported before this one */
  private async notify(fireTime: number, timerAt: number, before: number): Promise<void> {
    try {
      const answer = await this.listener.onFire(fireTime, timerAt);
      if (answer === false) this.waitAgain(fireTime, before);
    } catch (error) {
      this.listener.onError(error);
    }
  }

  private waitAgain(fireTime: number, before: number): void {
    if (fireTime <= this.last) this.last = before;
    this.checkClock();
  }
}

function hasCome(fireTime: number | undefined, now: number): fireTime is number {
  return fireTime !== undefined && fireTime <= now;
}
