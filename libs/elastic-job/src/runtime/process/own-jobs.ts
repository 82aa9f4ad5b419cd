// Covered by test/scenario/registering.spec.ts
import { type Deadline, waitFor } from '../../clock/index.js';
import { JobRemovedError } from '../../coordination/index.js';
import {
  ID_DELIMITER,
  type JobConfiguration,
  type ItemWork,
  type JobInstance,
  type JobName,
} from '../../domain/index.js';
import { isolate } from '../../executor/index.js';
import { RequestPauses, SessionLostError } from '../../registry/index.js';
import { type JobDefinition, JobRuntime } from '../job/index.js';
import { type ProcessContext, Reaction } from '../leases/index.js';
import { startOrder } from './start-order.js';
import { WorkLimit } from './work-limit.js';

/**
 * Enough for the server to have work while this process computes. What a join needs lives until it is over: with more
 * of them it gets into the old part of the heap, which grows to twice its size and does not shrink again.
 */
const JOINED_AT_ONCE = 48;
/** A join that takes longer keeps no others waiting, in milliseconds. */
const LONGEST_JOIN_MS = 5_000;
/** Between attempts to join a job again, in milliseconds. */
const REJOIN_PAUSES = { firstMs: 1_000, longestMs: 5_000 };

/** What the jobs ask of their process. */
interface OwnJobsParts {
  /** Aborts as the process begins to stop. */
  readonly ending: AbortSignal;
  jobs(): readonly JobRuntime[];
  job(jobName: JobName): JobRuntime | undefined;
  /** A session has begun in which jobs are joined. */
  onSession(): void;
  /** A job turns out to be one that is removed. */
  onRemoved(): void;
}

/** The jobs that this process is in, as one instance for each session of the registry. */
export class OwnJobs {
  private readonly rejoining: Reaction;
  private readonly joins: WorkLimit;
  /** The process in the session that lasts; undefined between two sessions. */
  private self: JobInstance | undefined;
  /** The first joins are repeated by whoever waits for them. */
  private isStarting = false;

  constructor(
    private readonly shared: ProcessContext,
    private readonly parts: OwnJobsParts,
  ) {
    this.joins = new WorkLimit(this.clock, JOINED_AT_ONCE, LONGEST_JOIN_MS);
    this.rejoining = new Reaction(
      () => this.rejoin(),
      (error) => shared.events.emit({ kind: 'error', jobName: undefined, message: 'rejoining failed', error }),
    );
  }

  get clock() {
    return this.shared.options.clock;
  }

  /**
   * Joins every job: those that others are started after come first. If the session ends meanwhile, as that of a
   * process may that is too busy to be heard, all of them in the next one.
   */
  async join(): Promise<void> {
    this.isStarting = true;
    try {
      while (!(await this.joinAll())) await this.shared.scheduleClock.ask();
    } finally {
      this.isStarting = false;
    }
  }

  /** @returns false if the session has ended meanwhile, and there is another one */
  private async joinAll(): Promise<boolean> {
    const self = (this.self = this.identity());
    const { id } = this.shared.options.registry.session;
    for (const jobs of startOrder(this.parts.jobs())) {
      const joins = jobs.map((job) => this.joins.run(() => job.join(self)));
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
   * True if another session has followed; waits for it if this one was lost. A job that an operator has taken this
   * instance out of meanwhile has no session any more, though the process has.
   */
  private async isReplaced(id: string | undefined): Promise<boolean> {
    const { connectionTimeoutMs, registry } = this.shared.options;
    const arm = (conclude: (value: undefined) => void) => {
      const off = registry.onSession(({ state }) => state === 'RECONNECTED' && conclude(undefined));
      const timer = this.clock.setTimer(connectionTimeoutMs, () => conclude(undefined));
      return () => {
        off();
        timer.cancel();
      };
    };
    if (registry.session.state === 'LOST') await waitFor(arm, this.parts.ending);
    return registry.session.state !== 'LOST' && registry.session.id !== id;
  }

  loseSession(sessionId: string | undefined): void {
    this.self = undefined;
    for (const job of this.parts.jobs()) job.loseSession(new SessionLostError(sessionId));
  }

  /** There is a session again: under a new id, every job anew. */
  rejoinSoon(): void {
    if (this.self === undefined && !this.isStarting) this.rejoining.wake();
  }

  /** Leaves every job, and joins none any more. */
  async leave(deadline: Deadline): Promise<void> {
    await Promise.all(this.parts.jobs().map((job) => job.drain(deadline)));
  }

  stop(): void {
    this.rejoining.stop();
  }

  /** What runs an item of the job. @throws {ConfigurationError} if it cannot be run so here */
  handlerOf(definition: JobDefinition): ItemWork {
    const { clock, hungGraceMs, workerPool: pool } = this.shared.options;
    const { configuration: declared } = definition;
    // A handler may outlive its job.
    const inForce = () => this.parts.job(declared.jobName)?.configuration ?? declared;
    return isolate(definition, { pool, clock, hungGraceMs, configuration: inForce });
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
    // One that runs no job has no identity.
    if (this.parts.ending.aborted || this.self === undefined) return;
    await job.join(this.self);
    // A start goes on with the other jobs, and this one waits; a caller who adds one can take another name.
    job.assertShareable();
  }

  /** Takes the process out of the job, within the drain time. Never rejects. */
  async dismiss(job: JobRuntime): Promise<void> {
    const { configurations, trees } = this.shared.services;
    await job.drain();
    configurations.forget(job.jobName);
    trees.forget(job.jobName);
  }

  /** Joins a job again from which an operator has removed this instance. */
  readmit(job: JobRuntime): void {
    const comeBack = async () => {
      if (await job.comeBack()) await this.rejoinJob(job, this.self);
    };
    void comeBack();
  }

  /**
   * Writes the settings to the registry. Resolves when this process goes by them.
   * @param said settings that are written even as the default
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

  // A job that cannot join is tried again, and keeps no other one waiting.
  private async rejoinJob(job: JobRuntime, self: JobInstance | undefined): Promise<void> {
    const { events, options } = this.shared;
    const { ending } = this.parts;
    if (self === undefined || ending.aborted) return;
    const pauses = new RequestPauses(options.registry, this.clock, REJOIN_PAUSES);
    while (job.isWaitingForSession && this.self === self) {
      try {
        await this.joins.run(() => job.join(self));
      } catch (error) {
        if (ending.aborted) return;
        if (error instanceof JobRemovedError) return this.parts.onRemoved();
        const message = 'rejoining failed; trying again';
        events.emit({ kind: 'error', jobName: job.jobName, message, error });
        await pauses.pause(ending).catch(() => {}); // Shutdown ends the pause.
      }
    }
  }

  private identity(): JobInstance {
    const { registry, instanceId } = this.shared.options;
    const serverIp = this.clock.hostAddress();
    const name = instanceId ?? `${this.clock.pid()}-${registry.session.id}`;
    return { jobInstanceId: `${serverIp}${ID_DELIMITER}${name}`, serverIp };
  }
}
