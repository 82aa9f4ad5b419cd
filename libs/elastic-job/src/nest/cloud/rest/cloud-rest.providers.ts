import type { FactoryProvider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { CloudConfigurations } from '../../../cloud/index.js';
import { JobOperateApi, ShardingStatisticsApi } from '../../../operations/index.js';
import { concealed } from '../../concealed.js';
import { IN_TASK } from '../../in-task.js';
import type { ResolvedModuleOptions } from '../../resolve-module-options.js';
import { CLOCK, CLOUD_REGISTRY, ELASTIC_JOB_OPTIONS, REGISTRY_CENTER } from '../../tokens.js';
import type { ElasticJobCloudModuleOptions } from '../cloud-module-options.js';
import { CloudAppController } from './cloud-app.controller.js';
import { CloudEvents } from './cloud-events.js';
import { CloudJobController } from './cloud-job.controller.js';
import { CloudOperationController } from './cloud-operation.controller.js';
import { CloudQueueController } from './cloud-queue.controller.js';
import { CloudQueues } from './cloud-queues.js';
import { CloudRegistrations } from './cloud-registrations.js';
import { CloudRestAccess } from './cloud-rest-access.js';
import { CloudRunHistory } from './cloud-run-history.js';
import { CloudStatistics } from './cloud-statistics.js';

/** Controllers that are mapped only if the option `rest` is given. */
export const CLOUD_REST_CONTROLLERS = [
  CloudAppController,
  // Must come before the routes that begin with the name of a job.
  CloudQueueController,
  CloudJobController,
  CloudOperationController,
] as const;

/** The parts that the controllers need. @param optionsToken of the Cloud module's options */
export function cloudRestProviders(optionsToken: string | symbol): readonly FactoryProvider[] {
  return [
    {
      provide: CloudRestAccess,
      useFactory: (options: ElasticJobCloudModuleOptions, modules: ModulesContainer, isInTask?: true) =>
        new CloudRestAccess(options, isInTask).unmapUnlessGiven(modules, CLOUD_REST_CONTROLLERS),
      inject: [optionsToken, ModulesContainer, IN_TASK],
    },
    part(CloudRegistrations, [CloudConfigurations, JobOperateApi]),
    part(CloudQueues, [CloudConfigurations, ShardingStatisticsApi, REGISTRY_CENTER, CLOCK]),
    {
      provide: CloudRunHistory,
      useFactory: ({ tracing }: ResolvedModuleOptions) => new CloudRunHistory(tracing),
      inject: [ELASTIC_JOB_OPTIONS],
    },
    part(CloudEvents, [CloudRunHistory]),
    part(CloudStatistics, [CloudConfigurations, CLOUD_REGISTRY, CloudRunHistory, CLOCK]),
  ].map(concealed);
}

/** @param token a class whose constructor takes the injected objects */
function part(token: new (...parts: never[]) => object, inject: FactoryProvider['inject']): FactoryProvider {
  return { provide: token, useFactory: (...parts: never[]) => new token(...parts), inject };
}
