import type { FactoryProvider } from '@nestjs/common';
import type { Clock } from '../../../clock/index.js';
import { CloudConfigurations } from '../../../cloud/index.js';
import { Hidden } from '../../../domain/index.js';
import { MissingRegistry, type RegistryCenter } from '../../../registry/index.js';
import { JobOperateApi } from '../../../operations/index.js';
import { ElasticJobRuntime } from '../../../runtime/index.js';
import { concealed } from '../../concealed.js';
import { createRegistryCenter } from '../../create-registry-center.js';
import { IN_TASK } from '../../in-task.js';
import type { ResolvedModuleOptions } from '../../resolve-module-options.js';
import { CLOCK, CLOUD_REGISTRY, ELASTIC_JOB_OPTIONS, REGISTRY_CENTER } from '../../tokens.js';
import type { ElasticJobCloudModuleOptions } from '../cloud-module-options.js';
import { CloudTree } from './cloud-tree.js';
import { CLOUD_NAMESPACE } from './cloud-tree-options.js';

/**
 * The registry of ElasticJob-Cloud's tree, and the registered applications and jobs. Both are undefined without the
 * option `tree`.
 * @param optionsToken of the Cloud module's options
 */
export function cloudTreeProviders(optionsToken: string | symbol): readonly FactoryProvider[] {
  return [
    {
      provide: CLOUD_REGISTRY,
      useFactory: createCloudRegistry,
      inject: [optionsToken, ELASTIC_JOB_OPTIONS, CLOCK, IN_TASK],
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
        optionsToken,
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
}

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
  { processing, registry }: ResolvedModuleOptions,
  clock: Clock,
): CloudTree | undefined {
  if (cloud === undefined) return undefined;
  const given = registry.reveal();
  const connectionTimeoutMs = given.type === 'zookeeper' ? given.connectionTimeoutMs : undefined;
  const registries = { lite, cloud };
  return new CloudTree({
    options,
    registries,
    configurations,
    operate,
    runtime,
    clock,
    processing,
    connectionTimeoutMs,
  });
}
