import {
  type DynamicModule,
  Global,
  Module,
  type ModuleMetadata,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import type { SchedulerRegistry } from '@nestjs/schedule';
import { ELASTIC_JOB_TASK } from '../module-definition.js';
import { isOfClassNamed } from '../provider-classes.js';

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
  private readonly timers: ScheduleTimers;

  constructor(discovery: DiscoveryService) {
    this.timers = new ScheduleTimers(discovery);
  }

  static around(root: ImportedModule): DynamicModule {
    return { module: TaskModule, imports: [TaskMark, root] };
  }

  onModuleInit(): void {
    this.timers.mute();
    this.timers.stop();
  }

  onApplicationBootstrap(): void {
    this.timers.stop();
  }
}

/** A timer of `@nestjs/schedule` before it is started. */
interface DeclaredTimer {
  target: unknown;
  options?: object;
}

/**
 * Stops the timers of `@nestjs/schedule`, which belong to the schedulers. This package does not load that one, so it
 * finds the providers by the names of their classes. The application's `SchedulerRegistry` has all its entries, which
 * never fire.
 */
class ScheduleTimers {
  constructor(private readonly discovery: DiscoveryService) {}

  /** Call when all timers are declared, and before any is started. */
  mute(): void {
    const orchestrator = this.find('SchedulerOrchestrator');
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
  stop(): void {
    const schedules = this.find('SchedulerRegistry');
    if (!isSchedulerRegistry(schedules)) return;
    for (const job of schedules.getCronJobs().values()) void job.stop();
    for (const name of schedules.getIntervals()) clearInterval(schedules.getInterval(name));
    for (const name of schedules.getTimeouts()) clearTimeout(schedules.getTimeout(name));
  }

  private find(className: string): object | undefined {
    return this.discovery
      .getProviders()
      .map(({ instance }): unknown => instance)
      .find((instance): instance is object => isOfClassNamed(instance, className));
  }
}

function isSchedulerRegistry(provider: object | undefined): provider is SchedulerRegistry {
  return provider !== undefined && 'getCronJobs' in provider;
}
