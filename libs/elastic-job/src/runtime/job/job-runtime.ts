// Covered by test/scenario/registering.spec.ts
import type { Deadline } from '../../clock/index.js';
import { ElasticJob2ConfigurationError, type JobTree } from '../../coordination/index.js';
import { type ElasticJobListener, type JobConfiguration, type JobInstance, type JobName } from '../../domain/index.js';
import { JobExecutor } from '../../executor/index.js';
import {
  type Hearing,
  JobNewsFeed,
  JobSchedule,
  JobSettings,
  type ProcessContext,
  RunningItems,
} from '../leases/index.js';
import { JobSession } from '../session/index.js';
import type { JobDefinition } from './job-definition.js';
import { JobDeparture } from './job-departure.js';
import { JobEntry } from './job-entry.js';
import { type JobMode, OUTSIDE } from './job-mode.js';
import { type JobStatus, statusOf } from './job-status.js';
import { knownListeners } from './known-listeners.js';
import { MixedJob } from './mixed-job.js';
import { suspensionOf } from './suspension.js';

/**
 * One job of this process, from its registration to its removal, over any number of sessions.
 *
 * Only `registered` ticks, begins and leads. `JobEntry` is the way in, and `JobDeparture` decides how the job is left.
 */
export class JobRuntime {
  private readonly settings: JobSettings;
  readonly schedule: JobSchedule;
  readonly running = new RunningItems();
  private readonly executor: JobExecutor;
  readonly listeners: readonly ElasticJobListener[];
  private readonly mixed: MixedJob;
  private readonly entry: JobEntry;
  private departure: JobDeparture;
  private joining: Promise<void> | undefined;
  private mode: JobMode = OUTSIDE;
  private missedRuns = 0;

  constructor(
    readonly definition: JobDefinition,
    private readonly shared: ProcessContext,
  ) {
    const { events, options, scheduleClock, schedules, services, turns } = shared;
    const { clock, tokenEpoch, hungGraceMs } = options;
    this.listeners = knownListeners(definition, options.listeners);
    this.settings = new JobSettings(definition.configuration, services.configurations, events, schedules);
    this.mixed = new MixedJob(definition, this.settings, events);
    this.executor = new JobExecutor(clock, { tokenEpoch, hungGraceMs }, turns);
    this.schedule = new JobSchedule(this.settings, scheduleClock, {
      onFire: (fireTime) => this.currentSession?.tick(fireTime),
      // An item that it has got since then may owe it.
      onAgain: () => this.currentSession?.expectWork(),
      onError: this.report('a trigger'),
    });
    const { mixed, running, settings } = this;
    const report = (work: string) => this.report(work);
    this.entry = new JobEntry(shared, { definition, settings, running, mixed, report });
    this.departure = this.createDeparture();
    services.trees.declare(this.jobName);
    services.configurations.declare(definition);
  }

  get jobName(): JobName {
    return this.definition.configuration.jobName;
  }

  /** The settings in force: the registry's once joined, else the local ones. */
  get configuration(): JobConfiguration {
    return this.settings.configuration;
  }

  get currentSession(): JobSession | undefined {
    return this.mode.session;
  }

  /** True if the job has no session and should have one. */
  get isWaitingForSession(): boolean {
    return this.currentSession === undefined && !this.departure.isDecided;
  }

  /** Registers the job in the current session and starts its schedule. @throws the reason if it ends meanwhile */
  async join(self: JobInstance): Promise<void> {
    this.joining = this.openSession(self);
    await this.joining;
  }

  /** @throws {ElasticJob2ConfigurationError} if the job waits, since it is one of ElasticJob 2 */
  assertShareable(): void {
    const { problem } = this.settings;
    if (problem instanceof ElasticJob2ConfigurationError) throw problem;
  }

  private async openSession(self: JobInstance): Promise<void> {
    const tree = await this.departure.whileStaying((wanted) => this.entry.open(self, wanted));
    try {
      this.shared.services.trees.set(tree);
      this.tellConfiguration(tree);
      this.checkPeers(tree);
      this.mode = { kind: 'waiting', session: this.createSession(tree) };
      await this.enter();
    } catch (error) {
      if (this.currentSession?.tree !== tree) tree.close(error);
      // Whoever ends the job also gives back what it may have registered.
      else if (!this.departure.isDecided) this.loseSession(error);
      throw error;
    }
  }

  // Without settings it waits: registered, it would be given items that it does not begin.
  private async enter(): Promise<void> {
    if (this.mode.kind !== 'waiting' || this.settings.problem !== undefined) return;
    const { session } = this.mode;
    const { tree } = session;
    this.mode = { kind: 'entering', session };
    const onRegistered = () => {
      this.mode = { kind: 'registered', session, sessionId: this.shared.options.registry.session.id };
    };
    await this.departure.whileStaying((wanted) => this.entry.register(tree, wanted, onRegistered));
    const { jobInstanceId } = tree.self;
    // An operator may have removed it before it knew that it was registered.
    if (!tree.hasInstance(jobInstanceId)) return void this.departure.obeyRemoval(jobInstanceId);
    await session.start();
    this.schedule.start();
  }

  /** The session is over: whatever it held is lost. The schedule goes on with the next session. */
  loseSession(reason: unknown): void {
    const { mode } = this;
    if (mode.kind === 'outside') return;
    const { session } = mode;
    this.mode = OUTSIDE;
    if (mode.kind === 'registered' && mode.sessionId !== undefined) {
      this.entry.noteLost(session.tree, mode.sessionId);
    }
    this.schedule.stop();
    session.close();
    this.shared.services.leader.endTerm(this.jobName, reason);
    this.shared.services.trees.unset(session.tree);
    session.tree.close(reason);
    this.shared.events.emit({ kind: 'left', jobName: this.jobName, instanceId: session.tree.self.jobInstanceId });
  }

  /** The registry has been silent for too long: what runs is told to stop; a task that others can adopt goes on. */
  suspend(graceMs: number): void {
    this.running.abort(suspensionOf(this.definition, graceMs));
  }

  /** Tells the other instances how far this host's clock is ahead of the registry's, in milliseconds. */
  reportClock(offsetMs: number): void {
    if (this.mode.kind !== 'registered') return;
    const { tree } = this.mode.session;
    this.shared.services.instances.reportClock(tree, offsetMs).catch(this.report('telling of the clock', tree));
  }

  /** The time by which fire times come has been changed: what it has stepped over is caught up on, or told. */
  checkClock(): void {
    this.schedule.checkClock();
    if (this.schedule.isStarted) this.currentSession?.expectWork();
  }

  /** Leaves the job for good. Never rejects. @see JobDeparture */
  async drain(until?: Deadline): Promise<void> {
    await this.departure.drain(until);
    // A process that goes on tells of what it has left behind.
    if (until !== undefined) this.executor.forgetHung();
  }

  /**
   * After an operator has removed this instance: it may join again, once it is gone.
   * @returns false if it was not removed, or if the job is to end here
   */
  async comeBack(): Promise<boolean> {
    const { departure } = this;
    await departure.removed();
    if (departure.removal === undefined || departure.isLeaving || departure !== this.departure) return false;
    this.entry.forgetLost();
    this.running.reopen();
    this.departure = this.createDeparture();
    return true;
  }

  status(): JobStatus {
    const { departure, jobName, missedRuns, mixed, mode, running, schedule, settings, shared } = this;
    const { executions } = shared.services;
    return statusOf({ jobName, mode, departure, settings, schedule, running, mixed, executions, missedRuns });
  }

  private createSession(tree: JobTree): JobSession {
    const { definition, executor, listeners, running, schedule, settings, shared } = this;
    const { options, services, events, errorHandlers, lateRuns, scheduleClock, schedules, turns } = shared;
    const news = new JobNewsFeed();
    news.on(this.hearing(tree));
    // Each field by its name: what is made by a spread has a shape of its own, which is larger than itself.
    return new JobSession({
      options,
      services,
      events,
      errorHandlers,
      lateRuns,
      scheduleClock,
      schedules,
      turns,
      clock: options.clock,
      tree,
      settings,
      schedule,
      running,
      handler: definition.handler,
      settled: definition.settled,
      tasks: definition.tasks,
      listeners,
      executor,
      news,
      report: (work) => this.report(work, tree),
    });
  }

  private createDeparture(): JobDeparture {
    const { jobName, running, shared } = this;
    return new JobDeparture(shared, {
      jobName,
      isAdoptable: this.definition.tasks === 'adoptable',
      running,
      session: () => this.currentSession,
      joined: () => this.joining,
      stopBeginning: () => {
        this.schedule.stop();
        this.currentSession?.close();
        this.currentSession?.endResidents();
      },
      loseSession: (reason) => this.loseSession(reason),
      report: (work, tree) => this.report(work, tree),
    });
  }

  /** What the job hears of a session, before its duties do. */
  private hearing(tree: JobTree): Hearing {
    const look = () => this.lookAtMembers(tree);
    const reload = () => {
      this.tellConfiguration(tree);
      this.reloadConfiguration(tree);
      look();
    };
    return {
      ClockReported: () => void this.shared.scheduleClock.hearOthers(),
      RootChanged: () => this.definition.onRootChanged?.(),
      TreeReset: () => {
        this.definition.onRootChanged?.();
        reload();
      },
      ConfigurationChanged: reload,
      ConfigurationKept: () => {
        if (!this.settings.isSound) reload();
      },
      InstanceJoined: look,
      InstanceLost: look,
      FireTimesMissed: ({ count }) => (this.missedRuns += count),
      ItemOutlivedSession: () => this.currentSession?.expectWork(),
    };
  }

  private readonly tellConfiguration = (tree: JobTree): void =>
    this.definition.onConfigurationChanged?.(tree.node(tree.paths.config)?.data);

  private lookAtMembers(tree: JobTree): void {
    const { jobInstanceId } = tree.self;
    if (this.mode.kind === 'registered' && !tree.hasInstance(jobInstanceId))
      return void this.departure.obeyRemoval(jobInstanceId);
    this.checkPeers(tree);
    if (this.currentSession?.tree === tree) this.enter().catch(this.report('joining the job', tree));
  }

  private reloadConfiguration(tree: JobTree): void {
    const wasUsable = this.settings.problem === undefined;
    this.settings.apply(tree);
    this.schedule.follow();
    if (!wasUsable && this.schedule.isStarted) this.currentSession?.expectWork();
  }

  private checkPeers(tree: JobTree): void {
    if (!this.mixed.tellPeers(tree)) return;
    // Beside Java, the clocks change by Quartz's rule.
    this.reloadConfiguration(tree);
    // What came while the job was mixed was the peers' to run.
    if (tree.company.runsUnrecorded) this.currentSession?.leaveToPeers();
    else this.schedule.excludePast();
  }

  /** @param tree once its session is over, what fails is no news */
  private report(work: string, tree?: JobTree): (error: unknown) => void {
    return (error) => {
      if (tree?.signal.aborted) return;
      this.shared.events.emit({ kind: 'error', jobName: this.jobName, message: `${work} failed`, error });
    };
  }
}
