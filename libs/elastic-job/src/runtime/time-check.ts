import type { Clock } from '../clock/index.js';
import type { JobTree } from '../coordination/index.js';
import { TimeDifferenceError, type Trigger } from '../domain/index.js';
import { NoNodeError } from '../registry/index.js';
import type { JobEvents } from '../tracing/index.js';

/**
 * Compares this process's clock with the registry's before a trigger is run, by the node that Java writes as well.
 * @see ElasticJob, `ConfigurationService.checkMaxTimeDiffSecondsTolerable`; there the run goes on
 */
export class TimeCheck {
  private found: TimeDifferenceError | undefined;
  private skipped = 0;

  constructor(
    private readonly tree: JobTree,
    private readonly clock: Clock,
    private readonly events: JobEvents,
  ) {}

  /** What the last measurement has found; undefined if the difference was tolerable. */
  get problem(): TimeDifferenceError | undefined {
    return this.found;
  }

  /** The last fire time that was refused: it is not made up for. In milliseconds since the epoch. */
  get skippedUntil(): number {
    return this.skipped;
  }

  /**
   * Measures, and tells if the trigger must not be run. One request; none if the difference is unlimited.
   * @param maxTimeDiffSeconds negative: unlimited
   */
  async refuses(trigger: Trigger, maxTimeDiffSeconds: number): Promise<boolean> {
    this.found = maxTimeDiffSeconds < 0 ? undefined : await this.measure(maxTimeDiffSeconds);
    if (this.found === undefined) return false;
    if (trigger.origin === 'schedule') this.skipped = Math.max(this.skipped, trigger.fireTime);
    const { jobName, message } = this.found;
    this.events.emit({ kind: 'skipped', trigger, reason: message });
    this.events.emit({ kind: 'error', jobName, message: 'a trigger was not run', error: this.found });
    return true;
  }

  private async measure(maxTimeDiffSeconds: number): Promise<TimeDifferenceError | undefined> {
    const differenceMs = await this.differenceMs();
    if (Math.abs(differenceMs) <= maxTimeDiffSeconds * 1_000) return undefined;
    return new TimeDifferenceError(this.tree.jobName, differenceMs, maxTimeDiffSeconds);
  }

  private async differenceMs(): Promise<number> {
    const { paths, registry, signal } = this.tree;
    const asked = this.clock.wallNow();
    try {
      const { mtime } = await registry.set(paths.systemTime, '', undefined, { signal });
      // The node is written at some moment between question and answer: a slow answer is no difference.
      return Math.max(0, asked - mtime) - Math.max(0, mtime - this.clock.wallNow());
    } catch (error) {
      if (!(error instanceof NoNodeError)) throw error;
      await registry.ensurePath(paths.systemTime, { signal });
      return this.differenceMs();
    }
  }
}
