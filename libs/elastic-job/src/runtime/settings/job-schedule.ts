import type { ScheduleTime } from '../../clock/index.js';
import { type TickClock, type TickListener, Ticker } from '../../scheduling/index.js';
import type { JobSettings } from './job-settings.js';
import { type Instant, instantNow, type NotedSpan, spanUntil } from '../time/index.js';

/** Older pauses are not needed, since their fire times were begun or reported long ago. */
const MOST_PAUSES = 100;

/** Fire times of one job in this process. They come while a session is ready for them and the job is not paused. */
export class JobSchedule {
  private readonly ticker: Ticker;
  private isReady = false;
  private isPaused = false;
  private pausedAt: Instant | undefined;
  private switchedOff: readonly NotedSpan[] = [];

  constructor(
    private readonly settings: JobSettings,
    private readonly clock: TickClock & ScheduleTime,
    listener: TickListener,
  ) {
    this.ticker = new Ticker(clock, listener);
  }

  /** True once a session has a leader and knows what it owes, so that fire times may come. */
  get isStarted(): boolean {
    return this.isReady;
  }

  /** True if fire times come here now. */
  get isTicking(): boolean {
    return this.ticker.isRunning;
  }

  /** True if a fire time will come here by itself, perhaps only after the session has started. */
  get willTick(): boolean {
    return !this.isPaused && this.nextFireTimes(1).length > 0;
  }

  get nextFireTime(): number | undefined {
    return this.ticker.nextFireTime;
  }

  get lastFireTime(): number | undefined {
    return this.ticker.lastFireTime;
  }

  /**
   * Spans in which fire times were not to run here, so that they are not owed; undefined while paused, when nothing is
   * begun.
   */
  get excluded(): readonly NotedSpan[] | undefined {
    return this.isPaused ? undefined : this.switchedOff;
  }

  start(): void {
    this.isReady = true;
    this.follow();
  }

  stop(): void {
    this.isReady = false;
    this.ticker.stop();
  }

  /** Follows changed settings. A one-off job has no schedule; a job whose settings cannot be used follows none. */
  follow(): void {
    const { problem, schedule } = this.settings;
    if (!this.isReady || schedule === undefined || problem !== undefined) return this.ticker.stop();
    if (this.ticker.isStarted) return this.ticker.reschedule(schedule);
    this.ticker.start(schedule);
    if (this.isPaused) this.ticker.pause();
  }

  /** Compares a clock that may have been set with the next fire time at once. */
  checkClock(): void {
    this.ticker.checkClock();
  }

  /** Pauses the fire times. A started trigger goes on; fire times during the pause are not caught up on. */
  pause(): void {
    if (this.isPaused) return;
    this.isPaused = true;
    this.pausedAt = instantNow(this.clock);
    this.ticker.pause();
  }

  resume(): void {
    if (!this.isPaused) return;
    this.isPaused = false;
    const pause = spanUntil(instantNow(this.clock), this.pausedAt);
    this.switchedOff = [...this.switchedOff, pause].slice(-MOST_PAUSES);
    this.ticker.resume();
  }

  /** Marks all fire times until now as not owed. */
  excludePast(): void {
    this.switchedOff = [spanUntil(instantNow(this.clock))];
  }

  /** Next fire times, in milliseconds since the epoch. */
  nextFireTimes(count: number): number[] {
    return this.settings.nextFireTimes(this.clock.wallNow(), count);
  }
}
