import {
  type DynamicModule,
  Global,
  Module,
  type ModuleMetadata,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import { ELASTIC_JOB_TASK } from '../module-definition.js';
import { findOfClassNamed } from '../provider-classes.js';
import { isSchedulerRegistry } from '../schedule.listing.js';

/** A module in the form that `imports` takes. */
export type ImportedModule = NonNullable<ModuleMetadata['imports']>[number];

/** Shows every module that it is in a task. */
@Global()
@Module({ providers: [{ provide: ELASTIC_JOB_TASK, useValue: true }], exports: [ELASTIC_JOB_TASK] })
class TaskMark {}

/**
 * Root of a task's application, around the application's own root. Nest calls its hooks after those of every module of
 * the application, since a root comes last unless it is global.
 */
@Module({ imports: [DiscoveryModule] })
export class TaskModule implements OnModuleInit, OnApplicationBootstrap {
  constructor(private readonly discovery: DiscoveryService) {}

  static around(root: ImportedModule): DynamicModule {
    return { module: TaskModule, imports: [TaskMark, root] };
  }

  onModuleInit(): void {
    muteTimers(this.discovery);
    stopTimers(this.discovery);
  }

  onApplicationBootstrap(): void {
    stopTimers(this.discovery);
  }
}

/** A timer of `@nestjs/schedule` before it is started. */
interface DeclaredTimer {
  target: unknown;
  options?: object;
}

/**
 * Mutes the timers of `@nestjs/schedule`, which belong to the schedulers. Call it when all timers are declared, and
 * before any is started. The application's `SchedulerRegistry` has all its entries, which never fire.
 */
function muteTimers(discovery: DiscoveryService): void {
  const orchestrator = findOfClassNamed(discovery, 'SchedulerOrchestrator');
  if (orchestrator === undefined) return;
  for (const kind of ['cronJobs', 'intervals', 'timeouts']) {
    const declared: Readonly<Record<string, DeclaredTimer>> = Reflect.get(orchestrator, kind) ?? {};
    for (const timer of Object.values(declared)) {
      timer.target = () => {};
      if (kind === 'cronJobs') timer.options = { ...timer.options, disabled: true };
    }
  }
}

/** Stops timers that have started, also those that the application has started itself. */
function stopTimers(discovery: DiscoveryService): void {
  const schedules = findOfClassNamed(discovery, 'SchedulerRegistry');
  if (!isSchedulerRegistry(schedules)) return;
  for (const job of schedules.getCronJobs().values()) void job.stop();
  for (const name of schedules.getIntervals()) clearInterval(schedules.getInterval(name));
  for (const name of schedules.getTimeouts()) clearTimeout(schedules.getTimeout(name));
}
