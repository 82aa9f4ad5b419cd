import { Deadline } from '../../clock/index.js';
import { type CoordinationServices, createCoordinationServices, JobRemovedError } from '../../coordination/index.js';
import { sharedClass } from '../../copies/index.js';
import {
  ConfigurationError,
  ID_DELIMITER,
  type JobConfiguration,
  type JobHandler,
  type JobInstance,
  type JobOptions,
  offsetsByProcess,
  ShuttingDownError,
  SuspendedTooLongError,
} from '../../domain/index.js';
import { isolate, JobErrorHandlers } from '../../executor/index.js';
import { RequestPauses, type SessionInfo, SessionLostError } from '../../registry/index.js';
import { JobEvents } from '../../tracing/index.js';
import { type JobDefinition, JobRuntime } from '../job/index.js';
import {
  Reaction,
  type ResolvedRuntimeOptions,
  resolveRuntimeOptions,
  type RuntimeOptions,
  ScheduleClock,
} from '../leases/index.js';
import type { JobSession } from '../session/index.js';
import { type JobHost, JobRegistrar } from './job-registrar.js';
import type { RuntimePhase, RuntimeStatus } from './runtime-status.js';
import {
  ConfigurationService,
  ExecutionService,
  FailoverService,
  InstanceService,
  LeaderService,
  ServerService,
  ShardingService,
} from './services/index.js';
import { startOrder } from './start-order.js';
import { SuspendedGrace } from './suspended-grace.js';
import { TemplateJobs } from './template-jobs.js';

/** Between attempts to join a job again, in milliseconds. */
const REJOIN_PAUSES = { firstMs: 1_000, longestMs: 5_000 };
/** A shutdown lasts at most so much longer than `drainTimeoutMs`, in milliseconds. */
const BEYOND_DRAIN_MS = 3_000;
/**
 * Of that, what is left to the steps that follow the jobs' departure, the last deliveries, the registry, in
 * milliseconds.
 */
const AFTER = { departure: 1_500, deliveries: 1_000, registry: 500 };

/**
 * The jobs of one process over one registry: start, sessions, stop. Knows nothing of Nest; everything that Nest's shell
 * offers stands here.
 */
@sharedClass('ElasticJobRuntime')
export class ElasticJobRuntime {
  readonly events = new JobEvents();
  readonly registrar: JobRegistrar;
  readonly leader: LeaderService;
  readonly sharding: ShardingService;
  readonly failover: FailoverService;
  readonly executions: ExecutionService;
  readonly instances: InstanceService;
  readonly servers: ServerService;
  readonly configurations: ConfigurationService;
  private readonly options: ResolvedRuntimeOptions;
  private readonly services: CoordinationServices;
  private readonly rejoining: Reaction;
  private readonly scheduleClock: ScheduleClock;
  /** @internal */
  readonly templates: TemplateJobs;
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
    const { clock, errorHandlers, errorWindowMs, redact, strategies, suspendedGraceMs } = this.options;
    this.errorHandlers = new JobErrorHandlers(clock, this.events, errorHandlers, errorWindowMs, redact);
    this.services = createCoordinationServices({
      ...this.options,
      trust: { targets: this.errorHandlers.targets, allowed: this.options.allowRegistryTargets },
      scheduleClock: {
        wallNow: () => this.scheduleClock.wallNow(),
        sharedNow: () => this.scheduleClock.sharedNow(),
      },
      onUnmet: (unmet) => this.events.emit({ kind: 'dependency-not-met', ...unmet }),
      onDelayed: (delayed) => this.events.emit({ kind: 'settle-delayed', ...delayed }),
    });
    this.scheduleClock = new ScheduleClock({
      ...this.options,
      events: this.events,
      toleranceMs: this.options.clockToleranceMs,
      offsets: () => offsetsByProcess(this.registrar.all.flatMap((job) => job.clockOffsets())),
      report: (offsetMs) => {
        for (const job of this.registrar.all) job.reportClock(offsetMs);
      },
      onChanged: () => {
        for (const job of this.registrar.all) job.lookAtClock();
      },
    });
    const host: JobHost = {
      clock,
      handlerOf: (definition) => this.handlerOf(definition),
      create: (definition) =>
        new JobRuntime(definition, this.services, this.events, this.options, this.errorHandlers, this.scheduleClock),
      assertOpen: () => this.ending.signal.throwIfAborted(),
      admit: (job) => this.admit(job),
      dismiss: (job) => this.dismiss(job),
      readmit: (job) => void this.readmit(job),
      rewrite: async ({ jobName }, configuration, said) => {
        this.errorHandlers.assertUsable(configuration, `job "${jobName}" (JobRegistrar.change)`);
        await this.services.configurations.write(this.services.trees.of(jobName), configuration, said);
      },
    };
    this.registrar = new JobRegistrar(host, strategies, this.options.cronDialect);
    this.templates = new TemplateJobs({
      ...this.options,
      events: this.events,
      join: (definition) => this.registrar.register(definition),
      leave: (jobName) => this.registrar.remove(jobName),
    });
    const { configurations, executions, instances, leader, servers, sharding } = this.services;
    this.leader = new LeaderService(leader);
    this.sharding = new ShardingService(sharding);
    this.failover = new FailoverService(this.services.queue, (jobName) => this.sessionOf(jobName));
    this.executions = new ExecutionService(executions);
    this.instances = new InstanceService(instances);
    this.servers = new ServerService(servers);
    this.configurations = new ConfigurationService(configurations);
    this.sessionSince = clock.monotonicNow();
    this.suspended = new SuspendedGrace(clock, suspendedGraceMs, (graceMs) => {
      for (const job of this.registrar.all) job.abortRunning(new SuspendedTooLongError(job.jobName, graceMs));
    });
    this.rejoining = new Reaction(
      () => this.rejoin(),
      (error) => this.events.emit({ kind: 'error', jobName: undefined, message: 'rejoining failed', error }),
    );
  }

  /**
   * Connects, registers every job and starts the schedules.
   * @throws {RegistryUnavailableError} if no server answers within `connectionTimeoutMs`
   * @throws {ShuttingDownError} if the process is stopped meanwhile
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
      await registry.connect({ timeoutMs: connectionTimeoutMs, signal: this.ending.signal });
      this.ending.signal.throwIfAborted();
      if (this.options.processing) await this.scheduleClock.ask();
      this.ending.signal.throwIfAborted();
      this.self = this.identity();
      for (const jobs of this.options.processing ? startOrder(this.registrar.all) : []) {
        await Promise.all(jobs.map((job) => job.join(this.self!)));
      }
    } catch (error) {
      const { aborted: isStopped, reason } = this.ending.signal;
      await this.stop();
      throw isStopped ? reason : error;
    }
    if (this.phase === 'starting') this.phase = 'running';
    if (this.options.processing) await this.templates.open();
  }

  /**
   * No new run from the first moment; running items end, or are aborted after `drainTimeoutMs`; then the instance is
   * removed from its jobs and the session is closed. Whatever state the process and the registry are in, it is over by
   * the deadline: what could not be removed then goes with the session. Idempotent, and the first deadline holds; never
   * rejects.
   */
  stop(deadline = this.shutdownDeadline()): Promise<void> {
    this.stopping ??= this.drainAndClose(deadline);
    return this.stopping;
  }

  /** Until when a shutdown that begins now may last, with everything that the caller ends after `stop`. */
  shutdownDeadline(): Deadline {
    return Deadline.after(this.options.clock, this.options.drainTimeoutMs + BEYOND_DRAIN_MS);
  }

  /**
   * Judges settings that are about to be written, as `JobRegistrar.change` does: by the job's error handler and by its
   * work, as far as this process knows them.
   * @param former what stands so far @throws {ConfigurationError}
   */
  assertEditable(configuration: JobConfiguration, former: Pick<JobOptions, 'jobErrorHandlerType'>): void {
    const place = `job "${configuration.jobName}"`;
    this.errorHandlers.assertEditable(configuration, former, place);
    const faults = this.services.configurations.findPropsFaults(configuration);
    if (faults.length > 0) throw new ConfigurationError(place, faults);
  }

  status(): RuntimeStatus {
    const { registry, clock, processing } = this.options;
    return {
      phase: this.phase,
      processing,
      session: registry.session,
      sessionForMs: clock.monotonicNow() - this.sessionSince,
      heldBackMs: this.scheduleClock.heldBackMs,
      behindMs: this.scheduleClock.behindMs,
      jobs: processing ? this.registrar.all.map((job) => job.status()) : [],
    };
  }

  private async drainAndClose(deadline: Deadline): Promise<void> {
    const { registry, workerPool } = this.options;
    this.phase = 'draining';
    this.rejoining.stop();
    this.templates.close();
    this.ending.abort(new ShuttingDownError());
    await Promise.all(this.registrar.all.map((job) => job.drain(deadline.less(AFTER.departure))));
    this.suspended.stop();
    this.scheduleClock.stop();
    for (const stopListening of this.listening) stopListening();
    const toTell = deadline.less(AFTER.deliveries);
    await this.errorHandlers.close(toTell.leftMs);
    await toTell.holdsFor(workerPool?.close() ?? Promise.resolve()).catch(this.reportStop);
    const toClose = deadline.less(AFTER.registry);
    await toClose.holdsFor(registry.close({ timeoutMs: toClose.leftMs }));
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
    if (!takesPart || this.self === undefined) return;
    await job.join(this.self);
    // A start goes on with the other jobs, and this one waits; a caller who adds one can take another name.
    job.assertShareable();
  }

  private async readmit(job: JobRuntime): Promise<void> {
    if (await job.comeBack()) await this.rejoinJob(job, this.self);
  }

  private async dismiss(job: JobRuntime): Promise<void> {
    await job.drain();
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
    const { state, id: sessionId, timeoutMs } = session;
    if (state !== undefined) this.events.emit({ kind: 'session', state, sessionId, timeoutMs });
    if (session.state === 'LOST') {
      this.self = undefined;
      this.templates.close();
      for (const job of this.registrar.all) job.loseSession(new SessionLostError(session.id));
    }
    if (session.state === 'RECONNECTED' && this.self === undefined && this.options.processing) this.rejoining.wake();
  }

  /** After LOST: a new session, a new id, and every job anew. */
  private async rejoin(): Promise<void> {
    await this.scheduleClock.ask();
    if (this.ending.signal.aborted) return;
    const self = (this.self = this.identity());
    void this.templates.open();
    await Promise.all(this.registrar.all.map((job) => this.rejoinJob(job, self)));
  }

  // A job that cannot join is tried again, and keeps no other one waiting.
  private async rejoinJob(job: JobRuntime, self: JobInstance | undefined): Promise<void> {
    if (self === undefined || this.ending.signal.aborted) return;
    const { clock, registry } = this.options;
    const pauses = new RequestPauses(registry, clock, REJOIN_PAUSES);
    while (job.isWaitingForSession && this.self === self) {
      try {
        await job.join(self);
      } catch (error) {
        const { signal } = this.ending;
        if (signal.aborted) return;
        if (error instanceof JobRemovedError) return this.templates.lookSoon();
        const message = 'rejoining failed; trying again';
        this.events.emit({ kind: 'error', jobName: job.jobName, message, error });
        await pauses.pause(signal).catch(() => {}); // Shutdown ends the pause.
      }
    }
  }

  private readonly reportStop = (error: unknown): void =>
    this.events.emit({ kind: 'error', jobName: undefined, message: 'stopping the worker pool failed', error });

  private identity(): JobInstance {
    const { clock, registry, instanceId } = this.options;
    const serverIp = clock.hostAddress();
    const name = instanceId ?? `${clock.pid()}-${registry.session.id}`;
    return { jobInstanceId: `${serverIp}${ID_DELIMITER}${name}`, serverIp };
  }
}
