import {
  Inject,
  Module,
  Optional,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { DiscoveryModule, ModulesContainer } from '@nestjs/core';
import type { Clock, Deadline } from '../clock/index.js';
import type { PlacedJob, TaskScheduler } from './cloud/task-scheduler.js';
import { ConfigurationError, messageOf, ShuttingDownError } from '../domain/index.js';
import { ElasticJobRuntime } from '../runtime/index.js';
import { EventSinks } from '../tracing/index.js';
import { TEMPLATES } from './elastic-job.decorator.js';
import { HandlerFactory } from './handler.factory.js';
import { defineJobs, defineTemplates } from './define-jobs.js';
import type { EventLine } from './line-log.js';
import { EventLogger } from './event.logger.js';
import { JobEventExplorer } from './on-job-event.js';
import { JobExplorer, LazyJobs } from './job.explorer.js';
import type { ResolvedModuleOptions } from './resolve-module-options.js';
import { ScheduleListing } from './schedule.listing.js';
import { namesOfUnprovided } from './decorated-methods.js';
import {
  findStartWarnings,
  onShutdownSignal,
  tellWaitingStart,
  unprovidedLine,
  warnIfUncalled,
  warnIfUnheard,
} from './start-warnings.js';
import { CLOCK, ELASTIC_JOB_OPTIONS, ELASTIC_JOB_TASK, TASK_SCHEDULER } from './module-definition.js';

/** Lower than the root module's distance, which is 0. */
const BEFORE_ALL_OTHERS = -1;

/**
 * Binds the runtime to the application's life.
 *
 * Jobs use the application's other providers, so they must start after all of them, and be drained before any of them
 * is destroyed. Nest runs the hooks of one module after the other and awaits each: `onModuleInit` and
 * `onApplicationBootstrap` from the greatest distance to the root, `onModuleDestroy` in reverse. It sorts the modules
 * when it calls the first hook. This module sets its own distance earlier, when it is instantiated, so it is the last
 * to be started and the first to be destroyed. It contains only providers of this package, since the hooks of a
 * module's own providers run before the module's.
 */
@Module({
  imports: [DiscoveryModule],
  providers: [JobExplorer, HandlerFactory, JobEventExplorer, LazyJobs, ScheduleListing],
})
export class ElasticJobLifecycleModule implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private isFound = false;
  private hasStarted = false;
  private hasTemplates = false;
  /** Ends the wait for what the application is to do. */
  private stopWaiting: () => void;
  private stopping: Promise<void> | undefined;

  constructor(
    modules: ModulesContainer,
    private readonly runtime: ElasticJobRuntime,
    private readonly explorer: JobExplorer,
    private readonly handlers: HandlerFactory,
    private readonly sinks: EventSinks,
    private readonly listeners: JobEventExplorer,
    private readonly lazy: LazyJobs,
    private readonly listing: ScheduleListing,
    @Inject(ELASTIC_JOB_OPTIONS) private readonly options: ResolvedModuleOptions,
    @Inject(CLOCK) private readonly clock: Clock,
    @Optional() @Inject(TASK_SCHEDULER) private readonly tasks?: TaskScheduler,
    @Optional() @Inject(ELASTIC_JOB_TASK) private readonly isInTask = false,
  ) {
    const own = [...modules.values()].filter(({ metatype }) => metatype === ElasticJobLifecycleModule);
    for (const module of own) module.distance = BEFORE_ALL_OTHERS;
    const roots = [...modules.values()].filter(({ imports }) => own.some((module) => imports.has(module)));
    if (roots.length > 1) {
      throw new ConfigurationError('ElasticJobModule', [
        `imported ${roots.length} times with forRoot or forRootAsync; import it once, it is global`,
      ]);
    }
    this.stopWaiting = warnIfUncalled(clock);
  }

  /** @throws {ConfigurationError} for a wrong setting of a job. */
  async onModuleInit(): Promise<void> {
    // A microservice calls its hooks for `init` and again for `listen`.
    if (this.isFound) return;
    this.isFound = true;
    try {
      await this.declare();
    } catch (error) {
      this.tellFailedStart(error);
      throw error;
    }
  }

  private async declare(): Promise<void> {
    this.stopWaiting();
    this.listeners.open();
    await this.listing.open();
    this.lazy.open();
    for (const definition of defineJobs(this.explorer.explore(), this.handlers, this.options)) {
      await this.runtime.registrar.register(this.placed(definition));
    }
    const templates = defineTemplates(this.explorer.explore(TEMPLATES), this.handlers, this.options);
    this.hasTemplates = templates.length > 0;
    for (const template of templates) this.runtime.templates.declare(this.placed(template));
  }

  async onApplicationBootstrap(): Promise<void> {
    // As above. A second start would write each event twice.
    if (this.hasStarted) return;
    this.hasStarted = true;
    const stopListening = onShutdownSignal(() => void this.stop());
    try {
      this.sinks.start();
      await this.tasks?.start();
      await this.startRuntime();
      this.tasks?.follow();
      this.warnAfterStart();
    } catch (error) {
      this.tellFailedStart(error);
      await this.stop();
      // Nest shuts the application down as soon as its start is over.
      if (!(error instanceof ShuttingDownError)) throw error;
    } finally {
      stopListening();
    }
  }

  async onModuleDestroy(): Promise<void> {
    // Close now, because @nestjs/schedule empties its registry in beforeApplicationShutdown.
    this.listing.close();
    await this.stop();
  }

  private async startRuntime(): Promise<void> {
    const registry = this.options.registry.reveal();
    const session = () => this.runtime.status().session;
    const stopTelling = tellWaitingStart(this.clock, registry, session, (text) => this.logError(text));
    try {
      await this.runtime.start();
    } finally {
      stopTelling();
    }
  }

  private warnAfterStart(): void {
    if (!this.options.processing || this.isInTask) return;
    const jobNames = this.runtime.registrar.jobs.map(({ jobName }) => jobName);
    const warnings = findStartWarnings({
      hasJobs: this.hasTemplates || this.tasks !== undefined || jobNames.length > 0,
      host: this.clock.hostAddress(),
      registry: this.options.registry.reveal(),
    });
    for (const message of [...warnings, ...this.listeners.findUnknown(jobNames)]) this.warn(message);
    this.tellUnprovided();
    this.lazy.follow((message) => this.warn(message));
    this.stopWaiting = warnIfUnheard(this.clock, (message) => this.warn(message));
  }

  private tellUnprovided(): void {
    const line = unprovidedLine(namesOfUnprovided(this.explorer.providerClasses));
    if (line !== undefined) this.log(line);
  }

  /** Nest logs no error of a hook: where nobody catches it, it ends the process with a stack alone. */
  private tellFailedStart(error: unknown): void {
    if (error instanceof ShuttingDownError) return;
    this.logError(`the start has failed: ${messageOf(error)}`);
  }

  private logError(text: string): void {
    this.log({ level: 'error', text: this.options.redact?.(text) ?? text });
  }

  private log(line: EventLine): void {
    for (const sink of this.options.tracing) if (sink instanceof EventLogger) sink.write(line);
  }

  private warn(message: string): void {
    this.runtime.events.emit({ kind: 'warning', jobName: undefined, message });
  }

  /** Assigns the place where its items run: this process, or tasks. */
  private placed<Definition extends PlacedJob>(definition: Definition): Definition {
    const { configuration, place } = definition;
    if (configuration.executor === undefined || this.isInTask) return definition;
    if (this.tasks !== undefined) return this.tasks.schedule(definition);
    throw new ConfigurationError(`job "${configuration.jobName}" (${place})`, [
      'executor "task" needs a backend: import ElasticJobCloudModule.forRoot({ backend }) of nestjs-elastic-job/cloud',
    ]);
  }

  private stop(): Promise<void> {
    this.stopping ??= this.stopWithin(this.runtime.shutdownDeadline());
    return this.stopping;
  }

  private async stopWithin(deadline: Deadline): Promise<void> {
    this.stopWaiting();
    void this.tasks?.unfollow();
    await this.runtime.stop(deadline);
    // Tasks have half of what is left, so that the sinks have the other half.
    await this.tasks?.stop(deadline.less(deadline.leftMs / 2));
    // Must be last, so that the ends of jobs are reported while the providers of sinks and listeners still exist.
    await this.sinks.stop(deadline);
    this.listeners.close();
  }
}
