import type { BegunExecution, JobTree } from '../../coordination/index.js';
import type { JobName, Trigger } from '../../domain/index.js';
import type { JobEvents } from '../../tracing/index.js';
import type { JobSettings } from '../settings/index.js';
import type { LateRuns } from './late-runs.js';
import type { ScheduleClock } from '../time/index.js';
import type { Report } from '../news/index.js';

/** Tells of runs of one job that begin before they are due, or too long after it. */
export class Punctuality {
  constructor(
    private readonly tree: JobTree,
    private readonly settings: JobSettings,
    private readonly scheduleClock: ScheduleClock,
    private readonly lateRuns: LateRuns,
    private readonly events: JobEvents,
    private readonly report: Report,
  ) {}

  /** Reports fire times that were begun before they came: here, as the begin's answer shows, or by others. */
  noteBegun({ jobName, fireTime, origin }: Trigger, { early, lease }: BegunExecution): void {
    if (early !== undefined && early.size > 0) {
      for (const time of new Set([...early.values()].flat())) {
        const items = [...early.keys()].filter((item) => early.get(item)!.includes(time));
        this.events.emit({ kind: 'early', jobName, items, fireTime: time });
      }
    }
    const isScheduled = origin === 'schedule' && !this.isStartedAfter;
    if (lease === undefined || !isScheduled || !this.scheduleClock.isAhead(fireTime)) return;
    this.tellIfAhead(jobName, lease.items, fireTime).catch(this.report('telling of an early run'));
  }

  /** Milliseconds since the run that begins now was due; undefined for resident runs, which are never due. */
  latenessMs({ fireTime, origin }: Trigger): number | undefined {
    const { scheduleClock, tree } = this;
    if (origin === 'resident') return undefined;
    const isStart = origin === 'schedule' && this.isStartedAfter;
    const start = isStart ? tree.startLedger()?.starts.find((one) => one.fireTime === fireTime) : undefined;
    const ms = start === undefined ? scheduleClock.wallNow() - fireTime : scheduleClock.sharedNow() - start.at;
    return Math.max(0, ms);
  }

  /** Reports the first run of a lease if it begins too late. */
  noteStarted(trigger: Trigger, latenessMs: number): void {
    this.lateRuns.note(trigger, latenessMs);
  }

  /**
   * Tells an early run, unless the registry's own clock was set back: then nothing is early once the instances agree on
   * that.
   */
  private async tellIfAhead(jobName: JobName, items: readonly number[], fireTime: number): Promise<void> {
    if (await this.scheduleClock.hasCome(fireTime)) return;
    this.events.emit({ kind: 'early', jobName, items, fireTime });
  }

  private get isStartedAfter(): boolean {
    return this.settings.configuration.after.length > 0;
  }
}
