import {
  changedSettings,
  type ConfigurationDifference,
  type Configurations,
  type JobTree,
} from '../../coordination/index.js';
import {
  ConfigurationError,
  type CronSchedule,
  fewNames,
  findEnd,
  findUnshareable,
  findUnshareableListeners,
  hasIdleFailover,
  type JobConfiguration,
  type KnownListener,
  listenersOf,
  type Schedules,
  timetableOf,
} from '../../domain/index.js';
import type { JobEvents } from '../../tracing/index.js';
import type { JobDefinition } from './job-definition.js';
import { type SettingsReports, ReportedDifferences } from './settings-reports.js';

const ONE_OFF = 'the registry has no cron for it, so it is a one-off job now, which runs only when it is triggered';
const IDLE_FAILOVER =
  'failover is true in the registry, but has no effect, since monitorExecution is false there; ' +
  'set monitorExecution to true, or failover to false';

/** Most jobs named that start after one that is shared with Java. */
const MOST_DEPENDENTS = 20;

/** Most settings named in a report of edits. A node may have thousands of props. */
const MOST_EDITED = 50;

/** Shared, since a process has thousands of jobs. */
const NONE: readonly string[] = [];

/** Settings by which a job runs in this process: the last usable ones. Reading them never fails. */
export class JobSettings {
  private cron: CronSchedule | undefined;
  private firesByQuartz = false;
  private since = 0;
  private javaListenerTypes = NONE;
  /** Undefined until there is a difference, as in most jobs. */
  private differing: ReportedDifferences | undefined;
  /** Edits that are not reported yet. */
  private edited: { readonly at: number; readonly names: readonly string[]; readonly count: number } | undefined;
  /** @see EffectiveConfiguration */
  private ownStrategy: string | undefined;
  /** False until a `config` node was seen, with which the job starts here. */
  private isStarted = false;
  private bad: unknown;
  private stopping: unknown;
  /** False before the registry's settings were applied first. */
  private isJudged = false;

  /**
   * @param inForce the local options, which apply until the registry was asked
   * @param listeners all that this process has for the job
   */
  constructor(
    private inForce: JobConfiguration,
    private readonly configurations: Configurations,
    private readonly events: JobEvents,
    private readonly schedules: Schedules,
    private readonly news: SettingsReports,
    private readonly listeners: readonly KnownListener[] = [],
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

  /** Since when the settings say which fire times are owed. @see EffectiveConfiguration */
  get writtenAt(): number {
    return this.since;
  }

  /** Differences between the registry and the local options, one text per field; long texts and lists are cut. */
  get differences(): readonly string[] {
    return this.differing?.texts ?? NONE;
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
    if (!tree.company.knowsFewerSettings) return [];
    const once = listenersOf(this.inForce, this.listeners).filter(({ distributesOnce }) => distributesOnce);
    return [
      ...findUnshareable({ ...this.inForce, strategy: this.configurations.strategy(tree) }),
      ...findUnshareableListeners(once, this.javaListenerTypes),
      ...tree.dependents().slice(0, MOST_DEPENDENTS).map(describeDependent),
    ];
  }

  /**
   * Applies the tree's configuration, if it is usable. @param firesByQuartz true if the job has a Java peer, which
   * fires by Quartz
   */
  apply(tree: JobTree, firesByQuartz = tree.company.firesByQuartz): void {
    const effective = this.configurations.inForce(tree);
    const { configuration, differences, writtenAt, fault, problem } = effective;
    const bad = problem ?? fault;
    const isNews = bad !== undefined && (bad !== this.bad || problem !== this.stopping);
    this.bad = bad;
    this.stopping = problem;
    if (isNews) this.news.add(tree.jobName, 'bad', () => this.reportBad());
    if (problem !== undefined) return;
    const former = this.inForce;
    if (configuration !== former || firesByQuartz !== this.firesByQuartz)
      this.cron = this.schedules.of(timetableOf(configuration, firesByQuartz));
    this.firesByQuartz = firesByQuartz;
    this.inForce = configuration;
    this.since = writtenAt;
    this.javaListenerTypes = effective.javaListenerTypes;
    const isFollowed = differences.every(({ isRefused }) => isRefused !== true);
    this.noteDifferences(differences, this.isStarted && isFollowed);
    this.noteOwnStrategy(effective.ownStrategy);
    this.isStarted ||= tree.has(tree.paths.config);
    if (this.isJudged) this.noteChange(tree, former);
    const judged = this.isJudged ? former : undefined;
    this.noteState('one-off', former, (one) => (isOneOff(one) ? ONE_OFF : undefined));
    this.noteState('idle', judged, (one) => (hasIdleFailover(one) ? IDLE_FAILOVER : undefined));
    this.noteState('over', judged, (one) => this.describeEnd(one));
    this.isJudged = true;
  }

  /** The leader tells of each edit, so that it is told once in the cluster. */
  private noteChange(tree: JobTree, former: JobConfiguration): void {
    const { inForce } = this;
    if (former === inForce || tree.leader() !== tree.self.jobInstanceId) return;
    const fields = changedSettings(former, inForce);
    if (fields.length === 0) return;
    const { at = tree.stat(tree.paths.config)?.mtime ?? this.news.now, names = NONE, count = 0 } = this.edited ?? {};
    this.edited = { at, names: [...new Set([...names, ...fields])].slice(0, MOST_EDITED), count: count + 1 };
    this.news.add(tree.jobName, 'edited', () => this.reportEdit());
  }

  private reportEdit(): void {
    if (this.edited === undefined) return;
    const { at, count, names: fields } = this.edited;
    this.edited = undefined;
    this.events.emit({ kind: 'configuration-changed', jobName: this.inForce.jobName, fields, at, count });
  }

  private noteDifferences(differences: readonly ConfigurationDifference[], edited: boolean): void {
    if (differences.length > 0) this.differing ??= new ReportedDifferences();
    const { differing } = this;
    if (differing?.note(differences) !== true) return;
    const { jobName, overwrite } = this.inForce;
    this.news.add(jobName, 'differences', () =>
      this.events.emit({ kind: 'configuration-differs', jobName, edited, overwrite, ...differing.take() }),
    );
  }

  private noteOwnStrategy(own: string | undefined): void {
    if (own === this.ownStrategy) return;
    this.ownStrategy = own;
    const { jobName } = this.inForce;
    this.news.add(jobName, 'own-strategy', () => {
      if (this.ownStrategy === undefined) return;
      this.events.emit({ kind: 'warning', jobName, message: describeOwnStrategy(this.ownStrategy) });
    });
  }

  /**
   * Warns of settings that have come into a state, unless they have left it when the warning's time comes.
   * @param describe returns the warning of settings in that state
   */
  private noteState(
    kind: string,
    former: JobConfiguration | undefined,
    describe: (configuration: JobConfiguration) => string | undefined,
  ): void {
    const { jobName } = this.inForce;
    if (describe(this.inForce) === undefined || (former !== undefined && describe(former) !== undefined)) return;
    this.news.add(jobName, kind, () => {
      const message = describe(this.inForce);
      if (message !== undefined) this.events.emit({ kind: 'warning', jobName, message });
    });
  }

  private describeEnd(configuration: JobConfiguration): string | undefined {
    const schedule = this.schedules.of(timetableOf(configuration, this.firesByQuartz));
    const end = schedule && findEnd(schedule, this.news.now);
    return end && `the registry's ${end}, so it runs only when it is triggered; edit it there, or remove the job`;
  }

  private reportBad(): void {
    if (this.bad === undefined) return;
    const consequence =
      this.stopping === undefined ? 'the last usable one stays in force' : 'nothing is begun until it is repaired';
    const message = `the configuration in the registry cannot be used; ${consequence}`;
    this.events.emit({ kind: 'error', jobName: this.inForce.jobName, message, error: this.bad });
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

function describeOwnStrategy(type: string): string {
  return (
    `its strategy is ${type} while this instance leads, since the registry names none; an instance whose code or ` +
    'defaults name another one plans by that while it leads; name one for all: ' +
    `JobConfigurationApi.updateJobConfiguration(job, { strategy: '${type}' }), or start once with overwrite: true`
  );
}

function describeDependent(jobName: string): string {
  return `job "${jobName}" starts after this one, which needs the recorded end of each item; Java peers record none`;
}

function isOneOff({ cron, resident, after }: JobConfiguration): boolean {
  return cron === undefined && !resident && after.length === 0;
}

/** A job that Java peers share: reports the peers, and if the settings can be shared with them. */
export class MixedJob {
  private reported = '';

  constructor(
    private readonly definition: JobDefinition,
    private readonly settings: JobSettings,
    private readonly events: JobEvents,
  ) {}

  /** @throws {ConfigurationError} if Java peers of the job would decide differently */
  assertShareable(tree: JobTree): void {
    const unshareable = this.settings.unshareable(tree);
    if (unshareable.length === 0) return;
    const { configuration, place } = this.definition;
    const peers = fewNames(tree.peers());
    throw new ConfigurationError(`job "${configuration.jobName}" (${place}), shared with Java (${peers})`, unshareable);
  }

  /** Reason why nothing begins beside the peers, if so. */
  problem(tree: JobTree): string | undefined {
    const unshareable = this.settings.unshareable(tree);
    if (unshareable.length === 0) return undefined;
    return `begins nothing while shared with ${fewNames(tree.peers())}: ${unshareable.join('; ')}`;
  }

  /**
   * Reports the peers if they, or the settings that they do not support, have changed since the last report.
   * @returns true if they have
   */
  reportPeers(tree: JobTree): boolean {
    const peers = tree.peers();
    const unshareable = this.settings.unshareable(tree);
    const current = [...peers, ...unshareable].join();
    if (current === this.reported) return false;
    this.reported = current;
    if (peers.length > 0) this.events.emit({ kind: 'mixed', jobName: tree.jobName, peers, unshareable });
    return true;
  }
}
