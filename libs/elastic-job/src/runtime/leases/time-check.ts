// Covered by test/scenario/time-difference.spec.ts
import { clockOffsetMs, TimeDifferenceError, type Trigger } from '../../domain/index.js';
import type { JobContext } from './job-context.js';

/**
 * Compares this process's clock with the registry's before a trigger is run. The registry is asked where its time is
 * unknown or too different.
 * @see ElasticJob, `ConfigurationService.checkMaxTimeDiffSecondsTolerable`; there the run goes on
 */
export class TimeCheck {
  private found: TimeDifferenceError | undefined;
  private skipped = 0;

  constructor(private readonly context: JobContext) {}

  /** What the last measurement has found; undefined if the difference was tolerable. */
  get problem(): TimeDifferenceError | undefined {
    return this.found;
  }

  /** The last fire time that was refused: it is not caught up on. In milliseconds since the epoch. */
  get skippedUntil(): number {
    return this.skipped;
  }

  /**
   * Measures, and tells if the trigger must not be run. From memory, if that says that it may.
   * @param maxTimeDiffSeconds negative: unlimited
   */
  async refuses(trigger: Trigger, maxTimeDiffSeconds: number): Promise<boolean> {
    this.found = maxTimeDiffSeconds < 0 ? undefined : await this.measure(maxTimeDiffSeconds);
    if (this.found === undefined) return false;
    if (trigger.origin === 'schedule') this.skipped = Math.max(this.skipped, trigger.fireTime);
    const { jobName, message } = this.found;
    this.context.events.emit({ kind: 'skipped', trigger, reason: message });
    this.context.events.emit({ kind: 'error', jobName, message: 'a trigger was not run', error: this.found });
    return true;
  }

  private async measure(maxTimeDiffSeconds: number): Promise<TimeDifferenceError | undefined> {
    const { jobName, registry, signal } = this.context.tree;
    const isTolerable = (ms: number | undefined) => ms !== undefined && Math.abs(ms) <= maxTimeDiffSeconds * 1_000;
    if (isTolerable(this.differenceMs)) return undefined;
    await registry.serverTime({ signal });
    const { differenceMs = 0 } = this;
    return isTolerable(differenceMs) ? undefined : new TimeDifferenceError(jobName, differenceMs, maxTimeDiffSeconds);
  }

  /** Undefined if nobody can say. */
  private get differenceMs(): number | undefined {
    const time = this.context.tree.registry.time();
    return time && Math.round(clockOffsetMs(this.context.clock.wallNow(), time));
  }
}
