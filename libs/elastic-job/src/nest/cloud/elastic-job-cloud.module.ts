import { ConfigurableModuleBuilder, type FactoryProvider, Global, Module } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { Clock } from '../../clock/index.js';
import { CloudConfigurations } from '../../cloud/index.js';
import { assertOptionsObject, Hidden } from '../../domain/index.js';
import { JobOperateApi, ShardingStatisticsApi } from '../../operations/index.js';
import { MissingRegistry, type RegistryCenter } from '../../registry/index.js';
import { ElasticJobRuntime } from '../../runtime/index.js';
import { ApplicationRunHistory } from '../../tracing/index.js';
import { IN_TASK } from '../in-task.js';
import {
  CLOCK,
  CLOUD_REGISTRY,
  concealed,
  ELASTIC_JOB_OPTIONS,
  missingOptions,
  REGISTRY_CENTER,
  TASK_SCHEDULER,
} from '../module-definition.js';
import type { ResolvedModuleOptions } from '../resolve-module-options.js';
import { createRegistryCenter } from '../service.providers.js';
import type { ElasticJobCloudModuleOptions } from './cloud-module-options.js';
import { CloudEvents } from './rest/cloud-events.js';
import { CloudQueues } from './rest/cloud-queues.js';
import { CloudRestAccess } from './rest/cloud-rest.guard.js';
import {
  CloudAppController,
  CloudJobController,
  CloudOperationController,
  CloudQueueController,
} from './rest/cloud-rest.controllers.js';
import { CloudStatistics } from './rest/cloud-statistics.js';
import { TaskScheduler } from './task-scheduler.js';
import { CloudTree } from './tree/cloud-tree.js';

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

/** Namespace of ElasticJob-Cloud. @see ElasticJob-Cloud 3.0.2, `elasticjob-cloud-scheduler.properties` */
const CLOUD_NAMESPACE = 'elasticjob-cloud';

/** The tree's registry, and the registered applications and jobs. All are undefined without the option `tree`. */
const TREE = [
  {
    provide: CLOUD_REGISTRY,
    useFactory: createCloudRegistry,
    inject: [OPTIONS, ELASTIC_JOB_OPTIONS, CLOCK, IN_TASK],
  },
  {
    provide: CloudConfigurations,
    useFactory: (registry: RegistryCenter | undefined, clock: Clock) =>
      registry && new CloudConfigurations(registry, clock),
    inject: [CLOUD_REGISTRY, CLOCK],
  },
  {
    provide: CloudTree,
    useFactory: createCloudTree,
    inject: [
      OPTIONS,
      CLOUD_REGISTRY,
      REGISTRY_CENTER,
      CloudConfigurations,
      JobOperateApi,
      ElasticJobRuntime,
      ELASTIC_JOB_OPTIONS,
      CLOCK,
    ],
  },
].map(concealed);

/** Controllers that are mapped only if the option `rest` is given. */
const REST_CONTROLLERS = [
  CloudAppController,
  // Must come before the routes that begin with the name of a job.
  CloudQueueController,
  CloudJobController,
  CloudOperationController,
];

/** The parts that the controllers need. */
const REST = [
  {
    provide: CloudRestAccess,
    useFactory: (options: ElasticJobCloudModuleOptions, modules: ModulesContainer, isInTask?: true) =>
      new CloudRestAccess(options, isInTask).unmapUnlessGiven(modules, REST_CONTROLLERS),
    inject: [OPTIONS, ModulesContainer, IN_TASK],
  },
  part(CloudQueues, [CloudConfigurations, ShardingStatisticsApi, REGISTRY_CENTER, CLOCK]),
  {
    provide: ApplicationRunHistory,
    useFactory: ({ tracing }: ResolvedModuleOptions) => new ApplicationRunHistory(tracing),
    inject: [ELASTIC_JOB_OPTIONS],
  },
  part(CloudEvents, [ApplicationRunHistory]),
  part(CloudStatistics, [CloudConfigurations, CLOUD_REGISTRY, ApplicationRunHistory, CLOCK]),
].map(concealed);

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
  controllers: REST_CONTROLLERS,
  providers: [MISSING, CHECKED, SCHEDULER, ...TREE, ...REST],
  exports: [TASK_SCHEDULER, CloudConfigurations],
})
export class ElasticJobCloudModule extends ConfigurableModuleClass {}

function createCloudRegistry(
  { tree }: ElasticJobCloudModuleOptions,
  { registry }: ResolvedModuleOptions,
  clock: Clock,
  isInTask?: true,
): RegistryCenter | undefined {
  if (tree === undefined) return undefined;
  if (isInTask) return new MissingRegistry();
  const { namespace = CLOUD_NAMESPACE } = tree;
  return createRegistryCenter(new Hidden({ ...registry.reveal(), namespace }), clock);
}

function createCloudTree(
  options: ElasticJobCloudModuleOptions,
  cloud: RegistryCenter | undefined,
  lite: RegistryCenter,
  configurations: CloudConfigurations,
  operate: JobOperateApi,
  runtime: ElasticJobRuntime,
  { processing }: ResolvedModuleOptions,
  clock: Clock,
): CloudTree | undefined {
  if (cloud === undefined) return undefined;
  return new CloudTree({ options, registries: { lite, cloud }, configurations, operate, runtime, clock, processing });
}

/** @param token a class whose constructor takes the injected objects */
function part(token: new (...parts: never[]) => object, inject: FactoryProvider['inject']): FactoryProvider {
  return { provide: token, useFactory: (...parts: never[]) => new token(...parts), inject };
}
