import { publicCalls } from '../../async-context/index.js';
import { Deadline } from '../../clock/index.js';
import { type CoordinationServices, createCoordinationServices } from '../../coordination/index.js';
import { sharedClass } from '../../copies/index.js';
import {
  assertMeetsTemplate,
  assertNoFaults,
  assertTextWithin,
  ConfigurationError,
  type JobConfiguration,
  type JobOptions,
  offsetsByProcess,
  Schedules,
  ShuttingDownError,
  type TemplateName,
} from '../../domain/index.js';
import { JobErrorHandlers } from '../../executor/index.js';
import { type SessionInfo, SessionLostError } from '../../registry/index.js';
import { JobEvents, tracerFailed } from '../../tracing/index.js';
import { FairTurns, RegistryTurns } from '../../turns/index.js';
import { LateRuns, type ProcessContext } from '../runs/index.js';
import {
  type ResolvedRuntimeOptions,
  resolveRuntimeOptions,
  type RuntimeOptions,
  SettingsReports,
} from '../settings/index.js';
import { ScheduleClock } from '../time/index.js';
import { WorkErrors } from '../news/index.js';
import type { JobSession } from '../job/index.js';
import { JobRegistrar } from './job-registrar.js';
import { OwnJobs } from './own-jobs.js';
import type { RuntimePhase, RuntimeStatus } from './runtime-status.js';
import {
  ConfigurationService,
  ExecutionService,
  FailoverService,
  InstanceService,
  LeaderService,
  ServerService,
  ShardingService,
} from './services.js';
import { TemplateJobs } from './template-jobs.js';

/** Milliseconds by which a shutdown may exceed `drainTimeoutMs`. */
const BEYOND_DRAIN_MS = 3_000;
/**
 * Milliseconds of it that are reserved for the steps after the jobs' departure, after the last deliveries, and for
 * closing the registry.
 */
const AFTER = { departure: 1_500, deliveries: 1_000, registry: 500 };

/**
 * Jobs of one process over one registry: start, sessions, stop. It knows nothing of Nest, and provides everything that
 * the Nest module offers.
 */
@sharedClass('ElasticJobRuntime')
@publicCalls()
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
  private readonly scheduleClock: ScheduleClock;
  /** @internal */
  readonly errors: WorkErrors;
  /** @internal */
  readonly templates: TemplateJobs;
  private readonly errorHandlers: JobErrorHandlers;
  private readonly lateRuns: LateRuns;
  private readonly settingsReports: SettingsReports;
  private readonly jobs: OwnJobs;
  private readonly ending = new AbortController();
  private phase: RuntimePhase = 'idle';
  private sessionSince: number;
  private stopping: Promise<void> | undefined;
  private readonly listening: (() => void)[] = [];

  constructor(options: RuntimeOptions) {
    this.options = resolveRuntimeOptions(options, (call, error) => this.events.emit(tracerFailed(call, error)));
    const { clock, errorHandlers, errorWindowMs, lateAfterMs, redact } = this.options;
    this.errorHandlers = new JobErrorHandlers(clock, this.events, errorHandlers, errorWindowMs, redact);
    this.errors = new WorkErrors(clock, this.events, this.options.registry);
    this.lateRuns = new LateRuns(clock, this.events, lateAfterMs);
    this.settingsReports = new SettingsReports(clock);
    this.services = this.newServices();
    this.scheduleClock = this.newScheduleClock();
    this.jobs = new OwnJobs(this.newContext(), {
      ending: this.ending.signal,
      jobs: () => this.registrar.all,
      job: (jobName) => this.registrar.find(jobName),
      onSession: () => void this.templates.open(),
      onRemoved: () => this.templates.findJobsSoon(),
    });
    this.registrar = new JobRegistrar(this.jobs, this.options);
    this.templates = new TemplateJobs({
      ...this.options,
      events: this.events,
      errors: this.errors,
      join: (definition) => this.registrar.register(definition),
      leave: (jobName) => this.registrar.remove(jobName),
    });
    const { configurations, executions, instances, leader, queue, servers, sharding } = this.services;
    this.leader = new LeaderService(leader);
    this.sharding = new ShardingService(sharding);
    this.failover = new FailoverService(queue, (jobName) => this.sessionOf(jobName));
    this.executions = new ExecutionService(executions);
    this.instances = new InstanceService(instances);
    this.servers = new ServerService(servers);
    this.configurations = new ConfigurationService(configurations);
    this.sessionSince = clock.monotonicNow();
  }

  /**
   * Connects, registers every job and starts the schedules.
   * @throws {RegistryUnavailableError} if no server answers within `connectionTimeoutMs`
   * @throws {ShuttingDownError} if the process is stopped meanwhile
   * @throws {ConfigurationError} if a job's settings are incompatible with those in the registry
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
      if (this.options.processing) await this.jobs.join();
    } catch (error) {
      const { aborted: isStopped, reason } = this.ending.signal;
      await this.stop();
      throw isStopped ? reason : error;
    }
    if (this.phase === 'starting') this.phase = 'running';
    if (this.options.processing) await this.templates.open();
  }

  /**
   * Stops the process's jobs. Nothing begins from the first moment. Running items end, or are aborted after
   * `drainTimeoutMs`. Then the instance is removed from its jobs and the session is closed. It ends by the deadline in
   * any state of process and registry; nodes that could not be removed go with the session. Idempotent: the first
   * deadline counts. Never rejects.
   */
  stop(deadline = this.shutdownDeadline()): Promise<void> {
    this.stopping ??= this.drainAndClose(deadline);
    return this.stopping;
  }

  /** Longest wait at start for the registry, and for each other system that this process needs, in milliseconds. */
  get connectionTimeoutMs(): number {
    return this.options.connectionTimeoutMs;
  }

  /** Deadline of a shutdown that begins now, including all steps of the caller after `stop`. */
  shutdownDeadline(): Deadline {
    return Deadline.after(this.options.clock, this.options.drainTimeoutMs + BEYOND_DRAIN_MS);
  }

  /**
   * Judges settings before they are written, as `JobRegistrar.change` does: by the next fire time of a changed cron,
   * and by the job's error handler, its work and its template, as far as this process knows them.
   * @param former the present settings
   * @param template the template of a created job, and the text that its `config` gets
   * @throws {ConfigurationError} @throws {TemplateLimitError}
   */
  assertEditable(
    configuration: JobConfiguration,
    former: Pick<JobOptions, 'cron' | 'jobErrorHandlerType'>,
    template?: { readonly name: TemplateName; readonly text: string },
  ): void {
    const place = `job "${configuration.jobName}"`;
    this.errorHandlers.assertEditable(configuration, former, place);
    if (configuration.cron !== former.cron) this.jobs.assertFires(configuration, place);
    const declared = template && this.templates.find(template.name);
    if (declared?.limits !== undefined) assertTextWithin(declared.limits, template!.text);
    if (declared !== undefined) return assertMeetsTemplate(declared, configuration, place);
    assertNoFaults(
      (onThrown) => this.services.configurations.findPropsFaults(configuration, onThrown),
      (faults, options) => new ConfigurationError(place, faults, options),
    );
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
      resting: this.templates.resting.length > 0 ? this.templates.resting : undefined,
    };
  }

  private newContext(): ProcessContext {
    const { errorHandlers, errors, events, lateRuns, options, scheduleClock, services, settingsReports } = this;
    const registryTurns: RegistryTurns = new RegistryTurns(options.clock, () => turns.isAwaited('created'));
    const beginUrgent = () => options.registry.beginUrgent();
    const turns = new FairTurns(options.clock, beginUrgent, () => registryTurns.serve());
    const schedules = new Schedules();
    const shared = { errorHandlers, errors, events, lateRuns, options, scheduleClock, schedules, services };
    return { ...shared, registryTurns, settingsReports, turns };
  }

  private newServices(): CoordinationServices {
    return createCoordinationServices({
      ...this.options,
      trust: { targets: this.errorHandlers.targets, allowed: this.options.allowRegistryTargets },
      scheduleClock: {
        wallNow: () => this.scheduleClock.wallNow(),
        sharedNow: () => this.scheduleClock.sharedNow(),
      },
      onUnmet: (unmet) => this.events.emit({ kind: 'dependency-not-met', ...unmet }),
      onDelayed: (delayed) => this.events.emit({ kind: 'settle-delayed', ...delayed }),
    });
  }

  private newScheduleClock(): ScheduleClock {
    return new ScheduleClock({
      ...this.options,
      events: this.events,
      toleranceMs: this.options.clockToleranceMs,
      offsets: () =>
        offsetsByProcess(this.registrar.all.flatMap((job) => job.currentSession?.tree.clockOffsets() ?? [])),
      report: (offsetMs) => {
        for (const job of this.registrar.all) job.reportClock(offsetMs);
      },
      onChanged: () => {
        for (const job of this.registrar.all) job.checkClock();
      },
    });
  }

  private async drainAndClose(deadline: Deadline): Promise<void> {
    const { registry, workerPool } = this.options;
    this.phase = 'draining';
    this.jobs.stop();
    this.templates.close();
    this.ending.abort(new ShuttingDownError());
    await this.jobs.leave(deadline.less(AFTER.departure));
    this.errors.end();
    this.lateRuns.end();
    this.settingsReports.end();
    this.scheduleClock.stop();
    for (const stopListening of this.listening) stopListening();
    const toTell = deadline.less(AFTER.deliveries);
    await this.errorHandlers.close(toTell.leftMs);
    const closePool = async (): Promise<void> => workerPool?.close();
    await toTell.holdsFor(closePool()).catch(this.reportStop);
    const toClose = deadline.less(AFTER.registry);
    await toClose.holdsFor(registry.close({ timeoutMs: toClose.leftMs }));
    this.phase = 'stopped';
  }

  private sessionOf(jobName: string): JobSession {
    const session = this.registrar.of(jobName).currentSession;
    if (session === undefined) throw new SessionLostError(undefined);
    return session;
  }

  private onSession(session: SessionInfo): void {
    this.sessionSince = this.options.clock.monotonicNow();
    const { state, id: sessionId, timeoutMs } = session;
    if (state !== undefined) this.events.emit({ kind: 'session', state, sessionId, timeoutMs });
    this.errors.sessionChanged();
    if (state === 'LOST') this.templates.close();
    if (this.options.processing) this.jobs.sessionChanged(session);
  }

  private readonly reportStop = (error: unknown): void =>
    this.events.emit({ kind: 'error', jobName: undefined, message: 'stopping the worker pool failed', error });
}
