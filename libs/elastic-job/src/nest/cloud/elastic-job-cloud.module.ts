import { ConfigurableModuleBuilder, type FactoryProvider, Global, Module } from '@nestjs/common';
import type { Clock } from '../../clock/index.js';
import { CloudConfigurations } from '../../cloud/index.js';
import { assertOptionsObject } from '../../domain/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import { ElasticJobRuntime } from '../../runtime/index.js';
import { IN_TASK } from '../in-task.js';
import { missingOptions } from '../missing-options.js';
import { CLOCK, REGISTRY_CENTER, TASK_SCHEDULER } from '../tokens.js';
import type { ElasticJobCloudModuleOptions } from './cloud-module-options.js';
import { CloudTree } from './tree/cloud-tree.js';
import { CLOUD_REST_CONTROLLERS, cloudRestProviders } from './rest/cloud-rest.providers.js';
import { cloudTreeProviders } from './tree/cloud-tree.providers.js';
import { TaskScheduler } from './task-scheduler.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<ElasticJobCloudModuleOptions>({
  moduleName: 'ElasticJobCloud',
})
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createElasticJobCloudOptions')
  .build();

/** Injects the options of the module, which are an object. */
const OPTIONS = Symbol('nestjs-elastic-job:cloud-module-options');

const MISSING = missingOptions(
  MODULE_OPTIONS_TOKEN,
  'ElasticJobCloudModule',
  'ElasticJobCloudModule.forRoot({ backend })',
);

const CHECKED: FactoryProvider = {
  provide: OPTIONS,
  useFactory: (options: unknown) => {
    assertOptionsObject('ElasticJobCloudModule', options);
    return options;
  },
  inject: [MODULE_OPTIONS_TOKEN],
};

const SCHEDULER: FactoryProvider = {
  provide: TASK_SCHEDULER,
  // In a task nothing is scheduled: the handlers themselves run.
  useFactory: (
    options: ElasticJobCloudModuleOptions,
    runtime: ElasticJobRuntime,
    clock: Clock,
    registry: RegistryCenter,
    tree?: CloudTree,
    isInTask?: true,
  ) => (isInTask ? undefined : new TaskScheduler(options, runtime, clock, registry, tree)),
  inject: [OPTIONS, ElasticJobRuntime, CLOCK, REGISTRY_CENTER, CloudTree, IN_TASK],
};

const TREE = cloudTreeProviders(OPTIONS);
const REST = cloudRestProviders(OPTIONS);

/**
 * Runs the items of jobs with `executor: 'task'` as tasks of their own. Import it once, beside `ElasticJobModule`, and
 * let `main.ts` call `runTask` where `isElasticJobTask()`.
 *
 * ```ts
 * imports: [
 *   ElasticJobModule.forRoot({ registry }),
 *   ElasticJobCloudModule.forRoot({ backend: new LocalProcesses({ maxTasks: 8 }) }),
 * ]
 * ```
 */
@Global()
@Module({
  controllers: [...CLOUD_REST_CONTROLLERS],
  providers: [MISSING, CHECKED, SCHEDULER, ...TREE, ...REST],
  exports: [TASK_SCHEDULER, CloudConfigurations],
})
export class ElasticJobCloudModule extends ConfigurableModuleClass {}
