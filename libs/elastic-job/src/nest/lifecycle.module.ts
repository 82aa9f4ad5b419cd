import {
  Inject,
  Module,
  Optional,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { DiscoveryModule, ModulesContainer } from '@nestjs/core';
import type { Deadline } from '../clock/index.js';
import { ConfigurationError, ShuttingDownError } from '../domain/index.js';
import { ElasticJobRuntime } from '../runtime/index.js';
import { EventSinks } from '../tracing/index.js';
import type { TaskScheduler } from './cloud/task-scheduler.js';
import { JobDeclarations } from './define-jobs.js';
import { HandlerFactory } from './handler.factory.js';
import { JobExplorer } from './job.explorer.js';
import { TASK_SCHEDULER } from './module-definition.js';
import { JobEventExplorer } from './on-job-event.js';
import { ScheduleListing } from './schedule.listing.js';
import { onShutdownSignal, StartWarnings } from './start-warnings.js';

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
  providers: [JobExplorer, HandlerFactory, JobEventExplorer, ScheduleListing, JobDeclarations, StartWarnings],
})
export class ElasticJobLifecycleModule implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private isFound = false;
  private hasStarted = false;
  private stopping: Promise<void> | undefined;

  constructor(
    modules: ModulesContainer,
    private readonly runtime: ElasticJobRuntime,
    private readonly declarations: JobDeclarations,
    private readonly warnings: StartWarnings,
    private readonly sinks: EventSinks,
    private readonly listeners: JobEventExplorer,
    @Optional() @Inject(TASK_SCHEDULER) private readonly tasks?: TaskScheduler,
  ) {
    const own = [...modules.values()].filter(({ metatype }) => metatype === ElasticJobLifecycleModule);
    for (const module of own) module.distance = BEFORE_ALL_OTHERS;
    const roots = [...modules.values()].filter(({ imports }) => own.some((module) => imports.has(module)));
    if (roots.length > 1) {
      throw new ConfigurationError('ElasticJobModule', [
        `imported ${roots.length} times with forRoot or forRootAsync; import it once, it is global`,
      ]);
    }
    warnings.created();
  }

  /** @throws {ConfigurationError} for a wrong setting of a job. */
  async onModuleInit(): Promise<void> {
    // A microservice calls its hooks for `init` and again for `listen`.
    if (this.isFound) return;
    this.isFound = true;
    try {
      this.warnings.stop();
      this.listeners.open();
      await this.declarations.declare();
    } catch (error) {
      this.warnings.failed(error);
      throw error;
    }
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
      this.warnings.started(this.declarations.hasJobs);
    } catch (error) {
      this.warnings.failed(error);
      await this.stop();
      // Nest shuts the application down as soon as its start is over.
      if (!(error instanceof ShuttingDownError)) throw error;
    } finally {
      stopListening();
    }
  }

  async onModuleDestroy(): Promise<void> {
    await this.stop();
  }

  private async startRuntime(): Promise<void> {
    const stopReporting = this.warnings.whileConnecting();
    try {
      await this.runtime.start();
    } finally {
      stopReporting();
    }
  }

  private stop(): Promise<void> {
    this.stopping ??= this.stopWithin(this.runtime.shutdownDeadline());
    return this.stopping;
  }

  private async stopWithin(deadline: Deadline): Promise<void> {
    this.warnings.stop();
    void this.tasks?.unfollow();
    await this.runtime.stop(deadline);
    // Tasks have half of what is left, so that the sinks have the other half.
    await this.tasks?.stop(deadline.less(deadline.leftMs / 2));
    // Must be last, so that the ends of jobs are reported while the providers of sinks and listeners still exist.
    await this.sinks.stop(deadline);
    this.listeners.close();
  }
}
