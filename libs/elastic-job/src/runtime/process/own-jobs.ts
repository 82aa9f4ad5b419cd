import { type Clock, Deadline, type Timer, waitUntil } from '../../clock/index.js';
import { JobRemovedError } from '../../coordination/index.js';
import {
  ConfigurationError,
  type CronSchedule,
  findEndFault,
  findNeverFault,
  ID_DELIMITER,
  type ItemWork,
  type JobConfiguration,
  type JobInstance,
  type JobName,
  timetableOf,
} from '../../domain/index.js';
import { isolate } from '../../executor/index.js';
import { type SessionInfo, SessionLostError, untilServed } from '../../registry/index.js';
import { Reconciler, repeat } from '../../repeat/index.js';
import { WorkLimit } from '../../turns/index.js';
import { JobRuntime } from '../job/index.js';
import type { ProcessContext } from '../runs/index.js';
import type { JobDefinition } from '../settings/index.js';

/**
 * Joins under way at once: enough for the server to have work while this process computes. Each join holds memory until
 * it is over; with more of them that memory reaches the old generation of the heap, which doubles and never shrinks.
 */
const JOINED_AT_ONCE = 48;
/** Milliseconds after which a slow join no longer keeps others waiting. */
const LONGEST_JOIN_MS = 5_000;
/** Pauses between attempts to join a job again, in milliseconds. */
const REJOIN_PAUSES = { firstMs: 1_000, longestMs: 5_000, withoutPause: 1 };

/** Parts of the process that its jobs need. */
interface OwnJobsParts {
  /** Aborts as the process begins to stop. */
  readonly ending: AbortSignal;
  jobs(): readonly JobRuntime[];
  job(jobName: JobName): JobRuntime | undefined;
  /** A session has begun in which jobs are joined. */
  onSession(): void;
  /** A job turned out to be one that is being removed. */
  onRemoved(): void;
}

/** Jobs of this process, which is one instance in each session of the registry. */
export class OwnJobs {
  private readonly rejoining: Reconciler;
  private readonly joins: WorkLimit;
  private readonly suspended: SuspendedGrace;
  /** Identity of the process in the present session; undefined between two sessions. */
  private self: JobInstance | undefined;
  /** True during the first joins, which `join` itself repeats. */
  private isStarting = false;

  constructor(
    private readonly shared: ProcessContext,
    private readonly parts: OwnJobsParts,
  ) {
    this.joins = new WorkLimit(this.clock, { most: JOINED_AT_ONCE, longestMs: LONGEST_JOIN_MS });
    this.rejoining = new Reconciler(
      this.clock,
      () => this.rejoin(),
      (error) => shared.errors.report(undefined, 'rejoining failed', error),
    );
    this.suspended = new SuspendedGrace(this.clock, shared.options.suspendedGraceMs, (graceMs) => {
      for (const job of parts.jobs()) job.suspend(graceMs);
    });
  }

  get clock() {
    return this.shared.options.clock;
  }

  /**
   * Joins every job, parents before the jobs that start after them. If the session ends meanwhile, for example because
   * the process is too busy to keep it, joins all of them again in the next one.
   */
  async join(): Promise<void> {
    this.isStarting = true;
    try {
      while (!(await this.joinAll())) await this.shared.scheduleClock.ask();
    } finally {
      this.isStarting = false;
    }
  }

  private scheduleOf(configuration: JobConfiguration): CronSchedule | undefined {
    return this.shared.schedules.of(timetableOf(configuration, false));
  }

  /** @returns false if the session has ended meanwhile and another one has begun */
  private async joinAll(): Promise<boolean> {
    const self = (this.self = this.identity());
    const { id } = this.shared.options.registry.session;
    const join = async (job: JobRuntime) => {
      // Asked when its turn has come: by then the session may have ended.
      if (this.self !== self) throw new SessionLostError(id);
      await job.join(self);
    };
    for (const jobs of startOrder(this.parts.jobs())) {
      const joins = jobs.map((job) => this.joins.run(1, () => join(job)));
      try {
        await Promise.all(joins);
      } catch (error) {
        if (!(error instanceof SessionLostError) || !(await this.isReplaced(id))) throw error;
        await Promise.allSettled(joins);
        return false;
      }
    }
    return true;
  }

  /**
   * True if another session has followed; waits for it if this one was lost. A job whose instance an operator has
   * removed meanwhile has no session, although the process has one.
   */
  private async isReplaced(id: string | undefined): Promise<boolean> {
    const { connectionTimeoutMs, registry } = this.shared.options;
    const isBack = () => registry.session.state !== 'LOST';
    const limits = { deadline: Deadline.after(this.clock, connectionTimeoutMs), signals: [this.parts.ending] };
    return (await waitUntil(isBack, (look) => registry.onSession(look), limits)) && registry.session.id !== id;
  }

  /** Follows the session of the registry: every job joins again, under a new id, once there is a new session. */
  sessionChanged(session: SessionInfo): void {
    this.suspended.sessionChanged(session);
    if (session.state === 'LOST') this.loseSession(session.id);
    if (session.state === 'RECONNECTED' && this.self === undefined && !this.isStarting) this.rejoining.wake();
  }

  private loseSession(sessionId: string | undefined): void {
    this.self = undefined;
    for (const job of this.parts.jobs()) job.loseSession(new SessionLostError(sessionId));
  }

  /** Leaves every job. */
  async leave(deadline: Deadline): Promise<void> {
    await Promise.all(this.parts.jobs().map((job) => job.drain(deadline)));
    this.suspended.stop();
  }

  /** Joins no job again. */
  stop(): void {
    this.rejoining.stop();
  }

  /** Returns the handler of items. @throws {ConfigurationError} if they cannot run in the requested isolation */
  handlerOf(definition: JobDefinition): ItemWork {
    const { clock, hungGraceMs, workerPool: pool } = this.shared.options;
    const { configuration: declared } = definition;
    // The declared settings are used for a handler that outlives its job.
    const inForce = () => this.parts.job(declared.jobName)?.configuration ?? declared;
    return isolate(definition, { pool, clock, hungGraceMs, configuration: inForce });
  }

  /** @throws {ConfigurationError} if settings have a schedule that gives no fire time from now on */
  assertFires(configuration: JobConfiguration, place: string): void {
    const schedule = this.scheduleOf(configuration);
    const fault = schedule && findEndFault(schedule, this.clock.wallNow());
    if (fault !== undefined) throw new ConfigurationError(place, [fault]);
  }

  /** Finds why settings give no fire time at all, with the remedy; undefined if they do, or have no schedule. */
  findNeverFault(configuration: JobConfiguration): string | undefined {
    const schedule = this.scheduleOf(configuration);
    return schedule && findNeverFault(schedule);
  }

  create(definition: JobDefinition): JobRuntime {
    return new JobRuntime(definition, this.shared);
  }

  /** @throws {ShuttingDownError} if no job may be added any more */
  assertOpen(): void {
    this.parts.ending.throwIfAborted();
  }

  /** Joins the job if the process is running. */
  async admit(job: JobRuntime): Promise<void> {
    // A process that runs no job has no identity.
    if (this.parts.ending.aborted || this.self === undefined) return;
    await job.join(this.self);
    // At start the other jobs go on and this one waits, but a caller of `add` gets the error and can take another name.
    job.assertShareable();
  }

  /** Leaves the job within the drain time. Never rejects. */
  async dismiss(job: JobRuntime): Promise<void> {
    const { configurations, trees } = this.shared.services;
    await job.drain();
    configurations.forget(job.jobName);
    trees.forget(job.jobName);
    this.shared.settingsReports.forget(job.jobName);
  }

  /** Joins a job again from which an operator has removed this instance. */
  readmit(job: JobRuntime): void {
    const comeBack = async () => {
      if (await job.comeBack()) await this.rejoinJob(job, this.self);
    };
    void comeBack();
  }

  /**
   * Writes the settings to the registry. Resolves when this process follows them.
   * @param said settings that are written even if they have their default
   */
  async rewrite({ jobName }: JobRuntime, configuration: JobConfiguration, said: readonly string[]): Promise<void> {
    const { errorHandlers, services } = this.shared;
    errorHandlers.assertUsable(configuration, `job "${jobName}" (JobRegistrar.change)`);
    await services.configurations.write(services.trees.of(jobName), configuration, said);
  }

  private async rejoin(): Promise<void> {
    await this.shared.scheduleClock.ask();
    if (this.parts.ending.aborted) return;
    const self = (this.self = this.identity());
    this.parts.onSession();
    await Promise.all(this.parts.jobs().map((job) => this.rejoinJob(job, self)));
  }

  // Joins a job again, and repeats until it succeeds. It keeps no other job waiting.
  private async rejoinJob(job: JobRuntime, self: JobInstance | undefined): Promise<void> {
    const { errors, options } = this.shared;
    const { ending } = this.parts;
    if (self === undefined || ending.aborted) return;
    const isWanted = () => job.isWaitingForSession && this.self === self && !ending.aborted;
    // Asked when its turn has come: by then the session may have ended, or the job may have been left.
    const joinIfWanted = async () => {
      if (isWanted()) await job.join(self);
    };
    const policy = untilServed(options.registry, this.clock, {
      signal: ending,
      pauses: REJOIN_PAUSES,
      isRepeated: (error) => !(error instanceof JobRemovedError),
      onFailure: (error) => errors.report(job.jobName, 'rejoining failed; trying again', error),
    });
    await repeat(policy, () => this.joins.run(1, joinIfWanted)).catch((error: unknown) => {
      if (error instanceof JobRemovedError) this.parts.onRemoved();
    });
  }

  private identity(): JobInstance {
    const { registry, instanceId, version } = this.shared.options;
    const serverIp = this.clock.hostAddress();
    const name = instanceId ?? `${this.clock.pid()}-${registry.session.id}`;
    return { jobInstanceId: `${serverIp}${ID_DELIMITER}${name}`, serverIp, version };
  }
}

/** Facts that decide when a job of this process joins. */
interface OrderedJob {
  readonly jobName: JobName;
  readonly configuration: { readonly after: readonly JobName[] };
}

/**
 * Splits jobs into groups whose jobs may join together: each job comes after those of this process after which it
 * starts. Jobs that wait for each other come last, and are refused when they join.
 */
export function startOrder<J extends OrderedJob>(jobs: readonly J[]): readonly (readonly J[])[] {
  const groups: (readonly J[])[] = [];
  for (let left = jobs; left.length > 0;) {
    const names = new Set(left.map(({ jobName }) => jobName));
    const free = left.filter(({ configuration }) => !configuration.after.some((name) => names.has(name)));
    const group = free.length > 0 ? free : left;
    groups.push(group);
    const joining = new Set(group);
    left = left.filter((job) => !joining.has(job));
  }
  return groups;
}

/** Measures how long the registry has not answered, if that is limited. */
export class SuspendedGrace {
  private timer: Timer | undefined;

  /**
   * @param graceMs undefined: unlimited
   * @param onOver called when the session was SUSPENDED for `graceMs`
   */
  constructor(
    private readonly clock: Clock,
    private readonly graceMs: number | undefined,
    private readonly onOver: (graceMs: number) => void,
  ) {}

  sessionChanged({ state }: SessionInfo): void {
    this.stop();
    const { graceMs } = this;
    if (state !== 'SUSPENDED' || graceMs === undefined) return;
    this.timer = this.clock.setTimer(graceMs, () => this.onOver(graceMs));
  }

  stop(): void {
    this.timer?.cancel();
  }
}
