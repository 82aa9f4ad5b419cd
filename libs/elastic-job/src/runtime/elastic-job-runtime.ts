import type {
  ConfigurationService,
  ExecutionService,
  InstanceService,
  LeaderService,
  ServerService,
  ShardingService,
} from '../coordination/index.js';
import { ID_DELIMITER, type JobHandler, type JobInstance, SuspendedTooLongError } from '../domain/index.js';
import { isolate, JobErrorHandlers } from '../executor/index.js';
import { type SessionInfo, SessionLostError } from '../registry/index.js';
import { JobEvents } from '../tracing/index.js';
import { type CoordinationServices, createCoordinationServices } from './coordination-services.js';
import { FailoverService } from './failover.service.js';
import type { JobDefinition } from './job-definition.js';
import { type JobHost, JobRegistrar } from './job-registrar.js';
import { JobRuntime } from './job-runtime.js';
import type { JobSession } from './job-session.js';
import { Reaction } from './reaction.js';
import { type ResolvedRuntimeOptions, resolveRuntimeOptions, type RuntimeOptions } from './runtime-options.js';
import type { RuntimePhase, RuntimeStatus } from './runtime-status.js';
import { startOrder } from './start-order.js';
import { SuspendedGrace } from './suspended-grace.js';

const REJOIN_PAUSE_MS = 1_000;
/** Failures may be told so long after the drain, if that has taken all of its time. */
const LAST_DELIVERIES_MS = 1_000;

/**
 * The jobs of one process over one registry: start, sessions, stop. Knows nothing of Nest; everything that Nest's shell
 * offers stands here.
 */
export class ElasticJobRuntime {
  readonly events = new JobEvents();
  readonly registrar: JobRegistrar;
  readonly failover: FailoverService;
  private readonly options: ResolvedRuntimeOptions;
  private readonly services: CoordinationServices;
  private readonly rejoining: Reaction;
  private readonly suspended: SuspendedGrace;
  private readonly errorHandlers: JobErrorHandlers;
  private readonly ending = new AbortController();
  private phase: RuntimePhase = 'idle';
  private self: JobInstance | undefined;
  private sessionSince: number;
  private stopping: Promise<void> | undefined;
  private readonly listening: (() => void)[] = [];

  constructor(options: RuntimeOptions) {
    this.options = resolveRuntimeOptions(options);
    const { clock, errorHandlers, errorWindowMs, strategies, suspendedGraceMs } = this.options;
    this.errorHandlers = new JobErrorHandlers(clock, this.events, errorHandlers, errorWindowMs);
    this.services = createCoordinationServices({
      ...this.options,
      onUnmet: (unmet) => this.events.emit({ kind: 'dependency-not-met', ...unmet }),
    });
    const host: JobHost = {
      clock,
      handlerOf: (definition) => this.handlerOf(definition),
      create: (definition) => new JobRuntime(definition, this.services, this.events, this.options, this.errorHandlers),
      admit: (job) => this.admit(job),
      dismiss: (job) => this.dismiss(job),
      rewrite: async ({ jobName }, configuration) => {
        this.errorHandlers.assertUsable(configuration, `job "${jobName}" (JobRegistrar.change)`);
        await this.services.configurations.write(this.services.trees.of(jobName), configuration);
      },
    };
    this.registrar = new JobRegistrar(host, strategies);
    this.failover = new FailoverService(this.services, (jobName) => this.sessionOf(jobName));
    this.sessionSince = clock.monotonicNow();
    this.suspended = new SuspendedGrace(clock, suspendedGraceMs, (graceMs) => {
      for (const job of this.registrar.all) job.abortRunning(new SuspendedTooLongError(job.jobName, graceMs));
    });
    this.rejoining = new Reaction(
      () => this.rejoin(),
      (error) => this.events.emit({ kind: 'error', jobName: undefined, message: 'rejoining failed', error }),
    );
  }

  get leader(): LeaderService {
    return this.services.leader;
  }

  get sharding(): ShardingService {
    return this.services.sharding;
  }

  get executions(): ExecutionService {
    return this.services.executions;
  }

  get instances(): InstanceService {
    return this.services.instances;
  }

  get servers(): ServerService {
    return this.services.servers;
  }

  get configurations(): ConfigurationService {
    return this.services.configurations;
  }

  /**
   * Connects, registers every job and starts the schedules.
   * @throws {RegistryUnavailableError} if no server answers within `connectionTimeoutMs`
   * @throws {ConfigurationError} if a job's settings cannot work with what the registry holds
   */
  async start(): Promise<void> {
    if (this.phase !== 'idle') return;
    this.phase = 'starting';
    const { registry, connectionTimeoutMs } = this.options;
    this.listening.push(
      registry.onSession((session) => this.onSession(session)),
      registry.onWarning((message) => this.events.emit({ kind: 'warning', jobName: undefined, message })),
    );
    try {
      await registry.connect({ timeoutMs: connectionTimeoutMs });
      this.ending.signal.throwIfAborted();
      this.self = this.identity();
      for (const jobs of this.options.processing ? startOrder(this.registrar.all) : []) {
        await Promise.all(jobs.map((job) => job.join(this.self!)));
      }
    } catch (error) {
      await this.stop();
      throw error;
    }
    if (this.phase === 'starting') this.phase = 'running';
  }

  /**
   * No new run from the first moment; running items end, or are aborted after `drainTimeoutMs`; then the instance is
   * removed from its jobs and the session is closed. Idempotent; never rejects.
   */
  stop(): Promise<void> {
    this.stopping ??= this.drainAndClose();
    return this.stopping;
  }

  status(): RuntimeStatus {
    const { registry, clock, processing } = this.options;
    return {
      phase: this.phase,
      processing,
      session: registry.session,
      sessionForMs: clock.monotonicNow() - this.sessionSince,
      jobs: processing ? this.registrar.all.map((job) => job.status()) : [],
    };
  }

  private async drainAndClose(): Promise<void> {
    const { clock, drainTimeoutMs, registry } = this.options;
    const deadline = clock.monotonicNow() + drainTimeoutMs;
    this.phase = 'draining';
    this.rejoining.stop();
    this.ending.abort(new Error('The process is shutting down.'));
    await Promise.all(this.registrar.all.map((job) => job.drain({ sessionEnds: true })));
    this.suspended.stop();
    for (const stopListening of this.listening) stopListening();
    await this.errorHandlers.close(Math.max(deadline - clock.monotonicNow(), LAST_DELIVERIES_MS));
    await this.options.workerPool?.close();
    await registry.close();
    this.phase = 'stopped';
  }

  private handlerOf(definition: JobDefinition): JobHandler {
    const { clock, hungGraceMs, workerPool: pool } = this.options;
    const { configuration: declared } = definition;
    // A handler may outlive its job.
    const inForce = () => this.registrar.all.find((job) => job.jobName === declared.jobName)?.configuration ?? declared;
    return isolate(definition, { pool, clock, hungGraceMs, configuration: inForce });
  }

  private async admit(job: JobRuntime): Promise<void> {
    const takesPart = this.options.processing && !this.ending.signal.aborted;
    if (takesPart && this.self !== undefined) await job.join(this.self);
  }

  private async dismiss(job: JobRuntime): Promise<void> {
    await job.drain({ sessionEnds: false });
    this.services.configurations.forget(job.jobName);
    this.services.trees.forget(job.jobName);
  }

  private sessionOf(jobName: string): JobSession {
    const session = this.registrar.of(jobName).currentSession;
    if (session === undefined) throw new SessionLostError(undefined);
    return session;
  }

  private onSession(session: SessionInfo): void {
    this.sessionSince = this.options.clock.monotonicNow();
    this.suspended.hear(session);
    if (session.state !== undefined) this.events.emit({ kind: 'session', state: session.state, sessionId: session.id });
    if (session.state === 'LOST') {
      this.self = undefined;
      for (const job of this.registrar.all) job.loseSession(new SessionLostError(session.id));
    }
    if (session.state === 'RECONNECTED' && this.self === undefined && this.options.processing) this.rejoining.wake();
  }

  /** After LOST: a new session, a new id, and every job anew. */
  private async rejoin(): Promise<void> {
    const self = (this.self = this.identity());
    await Promise.all(this.registrar.all.map((job) => this.rejoinJob(job, self)));
  }

  // A job that cannot join is tried again, and keeps no other one waiting.
  private async rejoinJob(job: JobRuntime, self: JobInstance): Promise<void> {
    while (job.isWaitingForSession && this.self === self) {
      try {
        await job.join(self);
      } catch (error) {
        await this.pauseAfter(job.jobName, error);
      }
    }
  }

  private async pauseAfter(jobName: string, error: unknown): Promise<void> {
    const { signal } = this.ending;
    if (signal.aborted) return;
    this.events.emit({ kind: 'error', jobName, message: 'rejoining failed; trying again', error });
    await this.options.clock.sleep(REJOIN_PAUSE_MS, signal).catch(() => {}); // Shutdown ends the pause.
  }

  private identity(): JobInstance {
    const { clock, registry, instanceId } = this.options;
    const serverIp = clock.hostAddress();
    const name = instanceId ?? `${clock.pid()}-${registry.session.id}`;
    return { jobInstanceId: `${serverIp}${ID_DELIMITER}${name}`, serverIp };
  }
}
