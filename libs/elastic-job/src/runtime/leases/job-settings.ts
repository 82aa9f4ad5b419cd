import type { ConfigurationDifference, Configurations, JobTree } from '../../coordination/index.js';
import {
  type CronSchedule,
  findUnshareable,
  hasIdleFailover,
  type JobConfiguration,
  type Schedules,
  timetableOf,
} from '../../domain/index.js';
import type { JobEvents } from '../../tracing/index.js';

/** Settings by which a job runs in this process: the last usable ones. Reading them never fails. */
export class JobSettings {
  private cron: CronSchedule | undefined;
  private firesByQuartz = false;
  private since = 0;
  private differing: readonly string[] = [];
  private bad: unknown;
  private stopping: unknown;
  private isIdleTold = false;

  /** @param inForce the local options, which apply until the registry was asked */
  constructor(
    private inForce: JobConfiguration,
    private readonly configurations: Configurations,
    private readonly events: JobEvents,
    private readonly schedules: Schedules,
  ) {
    this.cron = schedules.of(timetableOf(inForce, this.firesByQuartz));
  }

  get configuration(): JobConfiguration {
    return this.inForce;
  }

  /** Undefined for a one-off job, which runs only when triggered. */
  get schedule(): CronSchedule | undefined {
    return this.cron;
  }

  /** Time of the last write to the registry's `config` node, in milliseconds since the epoch. */
  get writtenAt(): number {
    return this.since;
  }

  /** Differences between the registry and the local options, one text per field. */
  get differences(): readonly string[] {
    return this.differing;
  }

  /**
   * Error that makes the present `config` node unusable, if no usable text is kept either. Then nothing may be begun.
   */
  get problem(): unknown {
    return this.stopping;
  }

  /** True if the present `config` node is in force. */
  get isSound(): boolean {
    return this.bad === undefined;
  }

  /** Error that makes the present `config` node unusable while the last usable text is in force. */
  get fault(): unknown {
    return this.stopping === undefined ? this.bad : undefined;
  }

  /** Settings that Java peers of the job do not follow; none without such peers. */
  unshareable(tree: JobTree): readonly string[] {
    return tree.company.knowsFewerSettings
      ? [...findUnshareable(this.inForce), ...tree.dependents().map(describeDependent)]
      : [];
  }

  /**
   * Applies the tree's configuration, if it is usable. @param firesByQuartz true if the job has a Java peer, which
   * fires by Quartz
   */
  apply(tree: JobTree, firesByQuartz = tree.company.firesByQuartz): void {
    const { configuration, differences, writtenAt, fault, problem } = this.configurations.inForce(tree);
    const bad = problem ?? fault;
    const isNews = bad !== undefined && (bad !== this.bad || problem !== this.stopping);
    this.bad = bad;
    this.stopping = problem;
    if (isNews) this.tellBad(tree);
    if (problem !== undefined) return;
    this.tellOneOff(tree, configuration);
    if (configuration !== this.inForce || firesByQuartz !== this.firesByQuartz)
      this.cron = this.schedules.of(timetableOf(configuration, firesByQuartz));
    this.firesByQuartz = firesByQuartz;
    this.inForce = configuration;
    this.since = writtenAt;
    this.tellDifferences(tree, differences.map(describeDifference));
    this.tellIdleFailover(tree);
  }

  private tellDifferences({ jobName }: JobTree, differences: readonly string[]): void {
    const known = new Set(this.differing);
    this.differing = differences;
    const added = differences.filter((difference) => !known.has(difference));
    if (added.length > 0) this.events.emit({ kind: 'configuration-differs', jobName, differences: added });
  }

  private tellIdleFailover({ jobName }: JobTree): void {
    const wasTold = this.isIdleTold;
    this.isIdleTold = hasIdleFailover(this.inForce);
    if (!this.isIdleTold || wasTold) return;
    const message =
      'failover is true in the registry, but has no effect, since monitorExecution is false there; ' +
      'set monitorExecution to true, or failover to false';
    this.events.emit({ kind: 'warning', jobName, message });
  }

  private tellBad({ jobName }: JobTree): void {
    const consequence =
      this.stopping === undefined ? 'the last usable one stays in force' : 'nothing is begun until it is repaired';
    const message = `the configuration in the registry cannot be used; ${consequence}`;
    this.events.emit({ kind: 'error', jobName, message, error: this.bad });
  }

  private tellOneOff({ jobName }: JobTree, { cron, resident, after }: JobConfiguration): void {
    if (this.inForce.cron === undefined || cron !== undefined || resident || after.length > 0) return;
    const message = 'the registry has no cron for it, so it is a one-off job now, which runs only when it is triggered';
    this.events.emit({ kind: 'warning', jobName, message });
  }

  /** Next fire times, in milliseconds since the epoch. */
  nextFireTimes(after: number, count: number): number[] {
    const times: number[] = [];
    let time = this.cron?.next(after);
    while (time !== undefined && times.length < count) {
      times.push(time);
      time = this.cron?.next(time);
    }
    return times;
  }
}

function describeDependent(jobName: string): string {
  return `job "${jobName}" starts after this one, which needs the recorded end of each item; Java peers record none`;
}

function describeDifference({ field, isRefused, local, stored }: ConfigurationDifference): string {
  const both = `${field}: ${String(local)} here, ${String(stored)} in the registry`;
  return isRefused ? `${both}, which is not followed (see allowRegistryTargets)` : both;
}
