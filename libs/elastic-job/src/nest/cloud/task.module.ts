import {
  type DynamicModule,
  Global,
  Module,
  type ModuleMetadata,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import { ELASTIC_JOB_TASK } from '../tokens.js';
import { ScheduleTimers } from './schedule-timers.js';

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
