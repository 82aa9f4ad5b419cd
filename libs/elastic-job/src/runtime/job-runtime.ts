import { JobTree, type JobTreeEvent, untilAnswered } from '../coordination/index.js';
import {
  ConfigurationError,
  DrainDeadlineError,
  findUnshareable,
  type JobConfiguration,
  type JobInstance,
  type JobName,
} from '../domain/index.js';
import { JobExecutor } from '../executor/index.js';
import { Ticker } from '../scheduling/index.js';
import type { JobEvents } from '../tracing/index.js';
import type { CoordinationServices } from './coordination-services.js';
import type { JobDefinition } from './job-definition.js';
import { JobSession } from './job-session.js';
import { JobSettings } from './job-settings.js';
import { RunningItems } from './running-items.js';
import type { ResolvedRuntimeOptions } from './runtime-options.js';
import type { JobStatus } from './runtime-status.js';

/** After the drain deadline a handler may take this long to heed its signal. */
const ABORT_GRACE_MS = 1_000;

/** What ends a session of a job without any fault: the process leaves. */
class LeftJobError extends Error {}

/** One job of this process, from its registration to its removal, over any number of sessions. */
export class JobRuntime {
  private readonly settings: JobSettings;
  private readonly ticker: Ticker;
  private readonly running = new RunningItems();
  private readonly executor: JobExecutor;
  /** Aborts when the job is to run no more in this process: it is stopped, or an operator has removed the instance. */
  private readonly ending = new AbortController();
  private joining: Promise<void> | undefined;
  private session: JobSession | undefined;
  private entering: JobSession | undefined;
  private isEntered = false;
  private hasEntered = false;
  /** The session has a leader and knows what it owes: fire times may come. */
  private isStarted = false;
  private isPaused = false;
  /** Fire times before this instant were nobody's to run here. */
  private owedSince = 0;
  private removal: string | undefined;
  private mixedSaid = '';

  constructor(
    readonly definition: JobDefinition,
    private readonly services: CoordinationServices,
    private readonly events: JobEvents,
    private readonly options: ResolvedRuntimeOptions,
  ) {
    const { clock, tokenEpoch } = options;
    this.settings = new JobSettings(definition.configuration, services.configurations, events);
    this.executor = new JobExecutor(clock, { tokenEpoch });
    this.ticker = new Ticker(clock, {
      onFire: (fireTime) => this.session?.tick(fireTime),
      onError: (error) => this.onError('a trigger failed', error),
    });
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
    return this.session;
  }

  /** True if the job has no session and should have one. */
  get isWaitingForSession(): boolean {
    return this.session === undefined && !this.ending.signal.aborted;
  }

  /** Registers the job in the current session and starts its schedule. @throws the reason if it ends meanwhile */
  async join(self: JobInstance): Promise<void> {
    this.joining = this.openSession(self);
    await this.joining;
  }

  private async openSession(self: JobInstance): Promise<void> {
    const { registry, clock } = this.options;
    const tree = await JobTree.open(registry, clock, this.jobName, self);
    try {
      await this.whileWanted(tree, () => this.services.configurations.install(tree));
      this.ending.signal.throwIfAborted();
      this.applySettings(tree);
      this.assertShareable(tree);
      this.services.trees.set(tree);
      tree.on((event) => this.hear(tree, event));
      this.sayMixed(tree);
      this.session = this.createSession(tree);
      await this.enter(this.session);
    } catch (error) {
      if (this.session?.tree !== tree) tree.close(error);
      // Whoever ends the job also gives back what it may have registered.
      else if (!this.ending.signal.aborted) this.loseSession(error);
      throw error;
    }
  }

  // Once it has run, it waits for the peer to leave or for the settings to change.
  private assertShareable(tree: JobTree): void {
    const settings = this.unshareable(tree);
    if (settings.length === 0 || this.hasEntered) return;
    const place = `job "${this.jobName}" (${this.definition.place}), shared with Java (${tree.peers().join(', ')})`;
    throw new ConfigurationError(place, settings);
  }

  /** The settings by which Java peers of the job decide otherwise; none without such peers. */
  private unshareable(tree: JobTree): readonly string[] {
    return tree.isMixed() ? findUnshareable(this.configuration) : [];
  }

  // Without settings it stays outside: registered, it would be given items that it does not begin.
  private async enter(session: JobSession): Promise<void> {
    const { tree } = session;
    if (this.entering === session || this.settings.problem !== undefined) return;
    this.entering = session;
    // What was no job of ours was left as it was, until somebody made it one.
    if (!tree.has(tree.paths.sessions)) await this.whileWanted(tree, () => this.services.configurations.install(tree));
    const { instances, queue } = this.services;
    await this.whileWanted(tree, (signal) =>
      instances.join(tree, {
        isDisabled: this.configuration.disabled,
        alongside: () => queue.sweepOfOwn(tree),
        signal,
      }),
    );
    this.isEntered = true;
    this.hasEntered = true;
    this.events.emit({ kind: 'joined', jobName: this.jobName, instanceId: tree.self.jobInstanceId });
    await session.start();
    this.isStarted = true;
    this.followSchedule();
  }

  /** A one-off job has no schedule; a job whose settings cannot be used follows none. */
  private followSchedule(): void {
    const { problem, schedule } = this.settings;
    if (!this.isStarted || schedule === undefined || problem !== undefined) return this.ticker.stop();
    if (this.ticker.isStarted) return this.ticker.reschedule(schedule);
    this.ticker.start(schedule);
    if (this.isPaused) this.ticker.pause();
  }

  /** Work that is given up with the session, and when the job is to end. */
  private whileWanted(tree: JobTree, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const signal = AbortSignal.any([tree.signal, this.ending.signal]);
    return untilAnswered(tree, this.options.clock, () => work(signal), signal);
  }

  /** The session is over: whatever it held is lost. The schedule goes on with the next session. */
  loseSession(reason: unknown): void {
    const { session } = this;
    if (session === undefined) return;
    this.session = undefined;
    this.isEntered = false;
    this.isStarted = false;
    this.ticker.stop();
    session.close();
    this.services.leader.endTerm(this.jobName, reason);
    this.services.trees.unset(session.tree);
    session.tree.close(reason);
    this.events.emit({ kind: 'left', jobName: this.jobName, instanceId: session.tree.self.jobInstanceId });
  }

  /** Stops the schedule; a started trigger goes on. What comes meanwhile is not made up for. */
  pause(): void {
    this.isPaused = true;
    this.ticker.pause();
  }

  resume(): void {
    if (!this.isPaused) return;
    this.isPaused = false;
    this.owedSince = this.options.clock.wallNow();
    this.ticker.resume();
  }

  get isTicking(): boolean {
    return this.ticker.isRunning;
  }

  nextFireTimes(count: number): number[] {
    return this.settings.nextFireTimes(this.options.clock.wallNow(), count);
  }

  get lastFireTime(): number | undefined {
    return this.ticker.lastFireTime;
  }

  /**
   * No new run from the first moment; running items end, or are aborted at the deadline; then the instance is removed.
   * Never rejects.
   * @param sessionEnds the session is closed afterwards, so what cannot be removed now goes with it. Else it is removed as
   *   soon as the registry answers.
   */
  async drain({ sessionEnds }: { readonly sessionEnds: boolean }): Promise<void> {
    this.stopBeginning(new LeftJobError(`Job "${this.jobName}": this instance is leaving.`));
    // Whoever has asked for it hears how it ended; here only that it did.
    await Promise.allSettled([this.joining]);
    // Somebody who stays should lead while this instance waits for its handlers.
    await this.attempt('resigning', () => this.services.leader.resign(this.jobName));
    const { clock, drainTimeoutMs } = this.options;
    if (!(await this.running.endWithin(clock, drainTimeoutMs))) {
      this.running.abort(new DrainDeadlineError(this.jobName, drainTimeoutMs));
      await this.running.endWithin(clock, ABORT_GRACE_MS);
    }
    await this.attempt('leaving the job', (tree) =>
      sessionEnds ? this.leave(tree) : untilAnswered(tree, clock, () => this.leave(tree)),
    );
    this.loseSession(new LeftJobError(`Job "${this.jobName}": this instance has left.`));
    this.services.leader.forget(this.jobName);
  }

  status(): JobStatus {
    const { tree } = this.session ?? {};
    const mixedWith = tree?.peers() ?? [];
    const settings = tree === undefined ? [] : this.unshareable(tree);
    const unshared = `begins nothing while shared with ${mixedWith.join(', ')}: ${settings.join('; ')}`;
    const problem = this.settings.problem ?? this.session?.problem;
    return {
      jobName: this.jobName,
      isJoined: this.isEntered,
      leader: tree?.leader(),
      mixedWith,
      differences: tree === undefined ? [] : this.settings.differences,
      nextFireTime: this.ticker.nextFireTime,
      runningItems: this.running.size,
      problem:
        this.removal ?? (problem instanceof Error ? problem.message : settings.length > 0 ? unshared : undefined),
    };
  }

  private createSession(tree: JobTree): JobSession {
    const { events, executor, options, running, services, settings } = this;
    return new JobSession({
      tree,
      services,
      executor,
      events,
      clock: options.clock,
      handler: this.definition.handler,
      listeners: this.definition.listeners ?? [],
      running,
      settings,
      owedSince: () => (this.isPaused ? undefined : this.owedSince),
      unshareable: () => this.unshareable(tree),
      isTicking: () => !this.isPaused && this.nextFireTimes(1).length > 0,
      reshardDelayMs: options.reshardDelayMs,
      onOutlived: () => this.session?.lookAgain(),
      onError: (message, error) => this.onError(message, error),
    });
  }

  private hear(tree: JobTree, event: JobTreeEvent): void {
    const isReset = event.kind === 'TreeReset';
    const isConfiguration = event.kind === 'ConfigurationChanged';
    if (isReset || isConfiguration) this.reloadConfiguration(tree);
    if (!isReset && !isConfiguration && event.kind !== 'InstanceJoined' && event.kind !== 'InstanceLost') return;
    if (this.isEntered && !tree.hasInstance(tree.self.jobInstanceId)) return void this.onRemoved();
    this.sayMixed(tree);
    this.enterSoon(tree);
  }

  private enterSoon(tree: JobTree): void {
    if (this.session?.tree !== tree) return;
    this.enter(this.session).catch((error: unknown) => {
      if (!tree.signal.aborted) this.onError('joining the job failed', error);
    });
  }

  private reloadConfiguration(tree: JobTree): void {
    const wasUsable = this.settings.problem === undefined;
    this.applySettings(tree);
    this.followSchedule();
    if (!wasUsable && this.isStarted) this.session?.lookAgain();
  }

  private applySettings(tree: JobTree): void {
    const before = this.settings.problem;
    this.settings.apply(tree);
    const { problem } = this.settings;
    if (problem === undefined || problem === before) return;
    this.onError('the configuration in the registry cannot be used; nothing is begun until it is repaired', problem);
  }

  // An operator's shutdown: to come back, the process must be restarted. The session goes on, for other jobs and for what
  // has to be given back by hand.
  private async onRemoved(): Promise<void> {
    if (this.ending.signal.aborted) return;
    const error = new LeftJobError(`Job "${this.jobName}": this instance was removed from the job by an operator.`);
    this.removal = error.message;
    this.onError('this instance was removed from the job', error);
    this.stopBeginning(error);
    this.running.abort(error);
    await this.attempt('resigning', (tree) => untilAnswered(tree, this.options.clock, () => this.abdicate(tree)));
    this.loseSession(error);
  }

  // A Java successor sets the flag only for what it sees as leader: it has not seen this instance go.
  private async abdicate(tree: JobTree): Promise<void> {
    const { leader, sharding } = this.services;
    const term = leader.term(this.jobName);
    if (term !== undefined) await sharding.announce(tree, term);
    await leader.resign(this.jobName);
  }

  private stopBeginning(reason: LeftJobError): void {
    this.ending.abort(reason);
    this.isStarted = false;
    this.ticker.stop();
    this.session?.close();
  }

  private sayMixed(tree: JobTree): void {
    const peers = tree.peers();
    const unshareable = this.unshareable(tree);
    const said = [...peers, ...unshareable].join();
    if (said === this.mixedSaid) return;
    this.mixedSaid = said;
    // Beside Java, the clocks change by Quartz's rule.
    this.reloadConfiguration(tree);
    if (peers.length > 0) this.events.emit({ kind: 'mixed', jobName: this.jobName, peers, unshareable });
    // What came while the job was mixed was the peers' to run.
    else this.owedSince = this.options.clock.wallNow();
  }

  private async leave(tree: JobTree): Promise<void> {
    await this.services.leader.resign(this.jobName);
    await this.services.instances.leave(tree);
  }

  private async attempt(work: string, act: (tree: JobTree) => Promise<void>): Promise<void> {
    const { tree } = this.session ?? {};
    try {
      if (tree !== undefined) await act(tree);
    } catch (error) {
      if (!tree?.signal.aborted) this.onError(`${work} failed`, error);
    }
  }

  private onError(message: string, error: unknown): void {
    this.events.emit({ kind: 'error', jobName: this.jobName, message, error });
  }
}
