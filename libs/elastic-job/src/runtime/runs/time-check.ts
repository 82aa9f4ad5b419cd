import { clockOffsetMs, TimeDifferenceError, type Trigger } from '../../domain/index.js';
import type { JobTree } from '../../coordination/index.js';
import type { JobEvents } from '../../tracing/index.js';

/**
 * Compares this process's clock with the registry's before a trigger runs. Asks the registry if its time is unknown or
 * too different.
 * @see ElasticJob, `ConfigurationService.checkMaxTimeDiffSecondsTolerable`; there the run goes on
 */
export class TimeCheck {
  private found: TimeDifferenceError | undefined;
  private skipped = 0;

  constructor(
    private readonly tree: JobTree,
    private readonly events: Pick<JobEvents, 'emit'>,
  ) {}

  /** Result of the last measurement; undefined if the difference was tolerable. */
  get problem(): TimeDifferenceError | undefined {
    return this.found;
  }

  /** Last fire time that was refused and is not caught up on, in milliseconds since the epoch. */
  get skippedUntil(): number {
    return this.skipped;
  }

  /**
   * Measures, and returns true if the trigger must not run. Works from memory if that shows a tolerable difference.
   * @param maxTimeDiffSeconds negative: unlimited
   */
  refuses(trigger: Trigger, maxTimeDiffSeconds: number): boolean | Promise<boolean> {
    if (maxTimeDiffSeconds >= 0) return this.refusesOnceMeasured(trigger, maxTimeDiffSeconds);
    this.found = undefined;
    return false;
  }

  private async refusesOnceMeasured(trigger: Trigger, maxTimeDiffSeconds: number): Promise<boolean> {
    this.found = await this.measure(maxTimeDiffSeconds);
    if (this.found === undefined) return false;
    if (trigger.origin === 'schedule') this.skipped = Math.max(this.skipped, trigger.fireTime);
    const { jobName, message } = this.found;
    this.events.emit({ kind: 'skipped', trigger, reason: message });
    this.events.emit({ kind: 'error', jobName, message: 'a trigger was not run', error: this.found });
    return true;
  }

  private async measure(maxTimeDiffSeconds: number): Promise<TimeDifferenceError | undefined> {
    const { jobName, registry, signal } = this.tree;
    const isTolerable = (ms: number | undefined) => ms !== undefined && Math.abs(ms) <= maxTimeDiffSeconds * 1_000;
    if (isTolerable(this.differenceMs)) return undefined;
    await registry.serverTime({ signal });
    const { differenceMs = 0 } = this;
    return isTolerable(differenceMs) ? undefined : new TimeDifferenceError(jobName, differenceMs, maxTimeDiffSeconds);
  }

  /** Undefined if unknown. */
  private get differenceMs(): number | undefined {
    const time = this.tree.registry.time();
    return time && Math.round(clockOffsetMs(this.tree.clock.wallNow(), time));
  }
}
