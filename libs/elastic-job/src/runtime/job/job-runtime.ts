import type { Deadline } from '../../clock/index.js';
import { ElasticJob2ConfigurationError, type JobTree, type StandingFailure } from '../../coordination/index.js';
import {
  HandedOverError,
  type JobConfiguration,
  type JobInstance,
  type JobName,
  type KnownListener,
  SuspendedTooLongError,
} from '../../domain/index.js';
import { JobExecutor } from '../../executor/index.js';
import { type ProcessContext, RunningItems } from '../runs/index.js';
import {
  type JobDefinition,
  JobSchedule,
  JobSettings,
  knownListeners,
  MixedJob,
  withOnceTypes,
} from '../settings/index.js';
import { JobDeparture } from './job-departure.js';
import { JobEntry } from './job-entry.js';
import { JobNewsReceiver } from './job-news-receiver.js';
import { JobPresence } from './job-presence.js';
import { JobSession } from './job-session.js';
import { type JobStatus, statusOf } from './job-status.js';

/**
 * One job of this process, from its registration to its removal, over any number of sessions.
 *
 * `JobPresence` has its mode (`JobMode`): only a registered job ticks, begins and leads. `JobEntry` is the way in, and
 * `JobDeparture` decides how the job is left. `JobDeparture` knows `JobEntry`, and both know `JobPresence`, never the
 * other way.
 */
export class JobRuntime {
  readonly settings: JobSettings;
  readonly schedule: JobSchedule;
  readonly running = new RunningItems();
  private readonly executor: JobExecutor;
  readonly listeners: readonly KnownListener[];
  private readonly mixed: MixedJob;
  private readonly presence: JobPresence;
  private readonly entry: JobEntry;
  private departure: JobDeparture;
  /** Shown while there is no tree that could show it. */
  private joinFailure: StandingFailure | undefined;

  constructor(
    readonly definition: JobDefinition,
    private readonly shared: ProcessContext,
  ) {
    const { events, options, scheduleClock, schedules, services, settingsReports, turns } = shared;
    const { clock, tokenEpoch, hungGraceMs } = options;
    const listeners = (this.listeners = knownListeners(definition, options.listeners));
    const { configurations } = services;
    const { configuration } = definition;
    const { running } = this;
    const settings = new JobSettings(configuration, configurations, events, schedules, settingsReports, listeners);
    const mixed = new MixedJob(definition, settings, events);
    const presence = new JobPresence(configuration.jobName, shared);
    const schedule = new JobSchedule(settings, scheduleClock, presence);
    const kind = definition.createdAs === undefined ? 'code' : 'created';
    this.executor = new JobExecutor(clock, { tokenEpoch, hungGraceMs, kind }, turns);
    this.settings = settings;
    this.mixed = mixed;
    this.presence = presence;
    this.schedule = schedule;
    this.entry = new JobEntry(shared, definition, settings, schedule, running, mixed, presence);
    this.departure = this.newDeparture();
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
    return this.presence.session;
  }

  /** True if the job has no session and should have one. */
  get isWaitingForSession(): boolean {
    return this.currentSession === undefined && !this.presence.isOver;
  }

  /** Registers the job in the current session and starts its schedule. @throws the reason if it ends meanwhile */
  async join(self: JobInstance): Promise<void> {
    try {
      await this.presence.join(this.openSession(self));
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
    const { departure, entry, presence, shared } = this;
    const tree = await presence.whileStaying((wanted) => entry.open(self, wanted));
    try {
      // Two joins in one session may overlap: a process joins again while a job comes back from an operator's removal.
      presence.assertOutside();
      shared.services.trees.set(tree);
      entry.notifyConfiguration(tree);
      entry.checkPeers(tree);
      const receiver = new JobNewsReceiver(tree, shared.scheduleClock, entry, departure, presence);
      presence.wait(this.createSession(tree, receiver));
      await receiver.enter();
    } catch (error) {
      if (presence.session?.tree !== tree) tree.close(error);
      // A departure also removes what it may have registered.
      else if (!presence.isOver) this.loseSession(error);
      throw error;
    }
  }

  /** @see JobEntry.loseSession */
  loseSession(reason: unknown): void {
    this.entry.loseSession(reason);
  }

  /** Stops running items because the registry was silent for too long; tasks that others can adopt go on. */
  suspend(graceMs: number): void {
    this.running.abort(suspensionOf(this.definition, graceMs));
  }

  /** Reports to the other instances how far this host's clock is ahead of the registry's, in milliseconds. */
  reportClock(offsetMs: number): void {
    const { mode } = this.presence;
    if (mode.kind !== 'registered') return;
    const { tree } = mode.session;
    const { instances } = this.shared.services;
    instances.reportClock(tree, offsetMs).catch(this.presence.report('telling of the clock', tree));
  }

  /** Reacts to a change of the time for fire times. Fire times that it has skipped are caught up on, or reported. */
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
    this.presence.reopen();
    this.departure = this.newDeparture();
    return true;
  }

  status(): JobStatus {
    const { definition, departure, joinFailure, mixed, running, schedule, settings, shared } = this;
    const { missedRuns, mode } = this.presence;
    const { services } = shared;
    const parts = { definition, mode, departure, settings, schedule, running, mixed, services, missedRuns };
    return statusOf({ ...parts, joinFailure });
  }

  private newDeparture(): JobDeparture {
    const { definition, entry, presence, running, settings, shared } = this;
    return new JobDeparture(shared, definition, settings, running, presence, entry);
  }

  private createSession(tree: JobTree, receiver: JobNewsReceiver): JobSession {
    const { definition, executor, listeners, presence, running, schedule, settings, shared } = this;
    const isCreated = definition.createdAs !== undefined;
    const job = { work: definition, settings, schedule, running, executor, listeners, isCreated };
    return new JobSession(tree, shared, job, receiver, (work) => presence.report(work, tree));
  }
}

/** Reason with which runs end after the registry was silent for too long. */
function suspensionOf({ configuration, tasks }: JobDefinition, graceMs: number): Error {
  const { jobName } = configuration;
  return tasks === 'adoptable'
    ? new HandedOverError(jobName, 'suspended')
    : new SuspendedTooLongError(jobName, graceMs);
}
