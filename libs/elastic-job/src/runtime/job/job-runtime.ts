import type { Deadline } from '../../clock/index.js';
import { ElasticJob2ConfigurationError, type JobTree, type StandingFailure } from '../../coordination/index.js';
import { type KnownListener, type JobConfiguration, type JobInstance, type JobName } from '../../domain/index.js';
import { JobExecutor } from '../../executor/index.js';
import { SessionLostError } from '../../registry/index.js';
import type { TickListener } from '../../scheduling/index.js';
import { JobSchedule, JobSettings, type ProcessContext, RunningItems } from '../leases/index.js';
import { JobSession } from '../session/index.js';
import type { JobDefinition } from './job-definition.js';
import { JobDeparture } from './job-departure.js';
import { JobEntry } from './job-entry.js';
import { JobHearing } from './job-hearing.js';
import { type JobMode, OUTSIDE } from './job-mode.js';
import { type JobStatus, statusOf } from './job-status.js';
import { knownListeners, withOnceTypes } from './known-listeners.js';
import { MixedJob } from './mixed-job.js';
import { suspensionOf } from './suspension.js';

/**
 * One job of this process, from its registration to its removal, over any number of sessions.
 *
 * Only `registered` ticks, begins and leads. `JobEntry` is the way in, and `JobDeparture` decides how the job is left.
 * These, `JobHearing` and the schedule call this object directly, since separate functions for each would be a large
 * part of it.
 */
export class JobRuntime implements TickListener {
  readonly settings: JobSettings;
  readonly schedule: JobSchedule;
  readonly running = new RunningItems();
  private readonly executor: JobExecutor;
  readonly listeners: readonly KnownListener[];
  readonly mixed: MixedJob;
  private readonly entry: JobEntry;
  private departure: JobDeparture;
  /** Resolves when no session is being opened. */
  joining: Promise<void> | undefined;
  private mode: JobMode = OUTSIDE;
  private missedRuns = 0;
  /** Shown while there is no tree that could show it. */
  private joinFailure: StandingFailure | undefined;

  constructor(
    readonly definition: JobDefinition,
    private readonly shared: ProcessContext,
  ) {
    const { events, options, scheduleClock, schedules, services, settingsNews, turns } = shared;
    const { clock, tokenEpoch, hungGraceMs } = options;
    this.listeners = knownListeners(definition, options.listeners);
    const { listeners } = this;
    const { configurations } = services;
    const { configuration } = definition;
    this.settings = new JobSettings(configuration, configurations, events, schedules, settingsNews, listeners);
    this.mixed = new MixedJob(definition, this.settings, events);
    const kind = definition.createdAs === undefined ? 'code' : 'created';
    this.executor = new JobExecutor(clock, { tokenEpoch, hungGraceMs, kind }, turns);
    this.schedule = new JobSchedule(this.settings, scheduleClock, this);
    this.entry = new JobEntry(shared, this);
    this.departure = new JobDeparture(shared, this);
    services.trees.declare(this.jobName);
    configurations.declare(withOnceTypes(definition, listeners));
  }

  get jobName(): JobName {
    return this.definition.configuration.jobName;
  }

  /** Settings in force: the registry's once joined, before that the local ones. */
  get configuration(): JobConfiguration {
    return this.settings.configuration;
  }

  get currentSession(): JobSession | undefined {
    return this.mode.session;
  }

  /** True if its runs are tasks that others can adopt. */
  get isAdoptable(): boolean {
    return this.definition.tasks === 'adoptable';
  }

  /** True if the job has no session and should have one. */
  get isWaitingForSession(): boolean {
    return this.currentSession === undefined && !this.departure.isDecided;
  }

  /** Registers the job in the current session and starts its schedule. @throws the reason if it ends meanwhile */
  async join(self: JobInstance): Promise<void> {
    this.joining = this.openSession(self);
    try {
      await this.joining;
      this.joinFailure = undefined;
    } catch (error) {
      const { since = this.shared.options.clock.wallNow() } = this.joinFailure ?? {};
      this.joinFailure = { work: 'joining the job', since, error };
      throw error;
    }
  }

  /** @throws {ElasticJob2ConfigurationError} if the job waits because it belongs to ElasticJob 2 */
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
      // A departure also removes what it may have registered.
      else if (!this.departure.isDecided) this.loseSession(error);
      throw error;
    }
  }

  // Registers the instance, unless the settings are unusable: a registered instance would get items that it does not
  // begin.
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
    // An operator may have removed it before it learned of its registration.
    if (!tree.hasInstance(jobInstanceId)) return void this.departure.obeyRemoval(jobInstanceId);
    await session.start();
    this.schedule.start();
  }

  /** Ends the session, and with it everything that it held. The schedule continues with the next session. */
  loseSession(reason: unknown): void {
    const { mode } = this;
    if (mode.kind === 'outside') return;
    const { session } = mode;
    this.mode = OUTSIDE;
    if (mode.kind === 'registered' && mode.sessionId !== undefined) this.entry.noteLost(session.tree, mode.sessionId);
    this.schedule.stop();
    session.close();
    this.shared.services.leader.endTerm(this.jobName, reason);
    this.shared.services.trees.unset(session.tree);
    session.tree.close(reason);
    this.departure.interruptStay(reason);
    const left = { kind: 'left', jobName: this.jobName, instanceId: session.tree.self.jobInstanceId } as const;
    this.shared.events.emit({ ...left, isSessionLost: reason instanceof SessionLostError });
  }

  /** Stops running items because the registry was silent for too long; tasks that others can adopt go on. */
  suspend(graceMs: number): void {
    this.running.abort(suspensionOf(this.definition, graceMs));
  }

  /** Reports to the other instances how far this host's clock is ahead of the registry's, in milliseconds. */
  reportClock(offsetMs: number): void {
    if (this.mode.kind !== 'registered') return;
    const { tree } = this.mode.session;
    this.shared.services.instances.reportClock(tree, offsetMs).catch(this.report('telling of the clock', tree));
  }

  /** Reacts to a change of the time for fire times: fire times that it has skipped are caught up on, or told. */
  checkClock(): void {
    this.schedule.checkClock();
    if (this.schedule.isStarted) this.currentSession?.expectWork();
  }

  /** Leaves the job for good. Never rejects. @see JobDeparture */
  async drain(deadline?: Deadline): Promise<void> {
    await this.departure.drain(deadline);
    // A process that goes on reports the handlers that it has left behind.
    if (deadline !== undefined) this.executor.forgetHung();
  }

  /**
   * Prepares to join again after an operator has removed this instance; waits until the removal is complete.
   * @returns false if it was not removed, or if the job must end here
   */
  async comeBack(): Promise<boolean> {
    const { departure } = this;
    await departure.removed();
    if (departure.removal === undefined || departure.isLeaving || departure !== this.departure) return false;
    this.entry.forgetLost();
    this.running.reopen();
    this.departure = new JobDeparture(this.shared, this);
    return true;
  }

  status(): JobStatus {
    const { definition, departure, joinFailure, missedRuns, mixed, mode, running, schedule, settings, shared } = this;
    const { services } = shared;
    const parts = { definition, mode, departure, settings, schedule, running, mixed, services, missedRuns };
    return statusOf({ ...parts, joinFailure });
  }

  private createSession(tree: JobTree): JobSession {
    const { definition, executor, listeners, running, schedule, settings, shared } = this;
    const isCreated = definition.createdAs !== undefined;
    const job = { work: definition, settings, schedule, running, executor, listeners, isCreated };
    const hearing = new JobHearing(this, tree, shared.scheduleClock);
    return new JobSession(tree, shared, job, hearing, (work) => this.report(work, tree));
  }

  /** A fire time has come by the host's clock. @returns false if it is still to come by the registry's */
  onFire(fireTime: number, dueAt: number): Promise<boolean> | undefined {
    return this.currentSession?.tick(fireTime, this.shared.scheduleClock.came.of(fireTime, dueAt));
  }

  /** A fire time comes again, and items that this instance has received since may owe it. */
  onAgain(): void {
    this.currentSession?.expectWork();
  }

  onError(error: unknown): void {
    this.report('a trigger')(error);
  }

  /** Begins nothing more; running items go on. */
  stopBeginning(): void {
    this.schedule.stop();
    this.currentSession?.close();
    this.currentSession?.endResidents();
  }

  countMissed(runs: number): void {
    this.missedRuns += runs;
  }

  /** Applies the tree's settings and checks their consequences. */
  reload(tree: JobTree): void {
    this.tellConfiguration(tree);
    this.reloadConfiguration(tree);
    this.lookAtMembers(tree);
  }

  /** Leaves the job if its own instance was removed; else looks for peers, and enters if it has waited to. */
  lookAtMembers(tree: JobTree): void {
    const { jobInstanceId } = tree.self;
    if (this.mode.kind === 'registered' && !tree.hasInstance(jobInstanceId))
      return void this.departure.obeyRemoval(jobInstanceId);
    this.checkPeers(tree);
    if (this.currentSession?.tree === tree) this.enter().catch(this.report('joining the job', tree));
  }

  private tellConfiguration(tree: JobTree): void {
    this.definition.onConfigurationChanged?.(tree.node(tree.paths.config)?.data);
  }

  private reloadConfiguration(tree: JobTree): void {
    const wasUsable = this.settings.problem === undefined;
    this.settings.apply(tree);
    this.schedule.follow();
    if (!wasUsable && this.schedule.isStarted) this.currentSession?.expectWork();
  }

  private checkPeers(tree: JobTree): void {
    if (!this.mixed.tellPeers(tree)) return;
    // Beside Java, fire times at clock changes follow Quartz's rule.
    this.reloadConfiguration(tree);
    // Fire times that came while the job was mixed were for the peers to run.
    if (tree.company.runsUnrecorded) this.currentSession?.leaveToPeers();
    else this.schedule.excludePast();
  }

  /** Reports a failure. @param tree if given, failures after the end of its session are ignored */
  report(work: string, tree?: JobTree): (error: unknown) => void {
    return (error) => {
      if (tree?.signal.aborted) return;
      this.shared.errors.tell(this.jobName, `${work} failed`, error);
    };
  }
}
