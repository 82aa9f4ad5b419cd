import type { FactoryProvider } from '@nestjs/common';
import { type Clock, SystemClock } from '../clock/index.js';
import {
  type AssertEditable,
  JobConfigurationApi,
  JobOperateApi,
  JobStatisticsApi,
  ServerStatisticsApi,
  ShardingOperateApi,
  ShardingStatisticsApi,
} from '../operations/index.js';
import type { RegistryCenter } from '../registry/index.js';
import {
  ConfigurationService,
  ElasticJobRuntime,
  ExecutionService,
  FailoverService,
  InstanceService,
  JobRegistrar,
  LeaderService,
  ServerService,
  ShardingService,
} from '../runtime/index.js';
import { EventSinks, JobEvents } from '../tracing/index.js';
import { concealed } from './concealed.js';
import { createRegistryCenter } from './create-registry-center.js';
import { MODULE_OPTIONS_TOKEN } from './module-definition.js';
import { type ResolvedModuleOptions, resolveModuleOptions } from './resolve-module-options.js';
import { CLOCK, ELASTIC_JOB_OPTIONS, REGISTRY_CENTER } from './tokens.js';

/** One of each per module, under its own class token or symbol, so that a test can override any of them. */
export const SERVICE_PROVIDERS: readonly FactoryProvider[] = [
  { provide: ELASTIC_JOB_OPTIONS, useFactory: resolveModuleOptions, inject: [MODULE_OPTIONS_TOKEN] },
  {
    provide: CLOCK,
    useFactory: ({ clock }: ResolvedModuleOptions) => clock ?? new SystemClock(),
    inject: [ELASTIC_JOB_OPTIONS],
  },
  ...[
    {
      provide: REGISTRY_CENTER,
      useFactory: ({ registry }: ResolvedModuleOptions, clock: Clock) => createRegistryCenter(registry, clock),
      inject: [ELASTIC_JOB_OPTIONS, CLOCK],
    },
    { provide: ElasticJobRuntime, useFactory: createRuntime, inject: [ELASTIC_JOB_OPTIONS, REGISTRY_CENTER, CLOCK] },
    part(JobEvents, (runtime) => runtime.events),
    {
      provide: EventSinks,
      useFactory: ({ redact, tracing }: ResolvedModuleOptions, events: JobEvents, clock: Clock) =>
        new EventSinks(tracing, events, clock, redact),
      inject: [ELASTIC_JOB_OPTIONS, JobEvents, CLOCK],
    },
    part(JobRegistrar, (runtime) => runtime.registrar),
    part(LeaderService, (runtime) => runtime.leader),
    part(ShardingService, (runtime) => runtime.sharding),
    part(FailoverService, (runtime) => runtime.failover),
    part(ExecutionService, (runtime) => runtime.executions),
    part(InstanceService, (runtime) => runtime.instances),
    part(ServerService, (runtime) => runtime.servers),
    part(ConfigurationService, (runtime) => runtime.configurations),
    {
      provide: JobConfigurationApi,
      useFactory: createConfigurationApi,
      inject: [REGISTRY_CENTER, ELASTIC_JOB_OPTIONS, ElasticJobRuntime],
    },
    {
      provide: JobOperateApi,
      useFactory: (registry: RegistryCenter, clock: Clock, { strategies, cronDialect }: ResolvedModuleOptions) =>
        new JobOperateApi(registry, clock, strategies, cronDialect),
      inject: [REGISTRY_CENTER, CLOCK, ELASTIC_JOB_OPTIONS],
    },
    operation(ShardingOperateApi),
    operation(JobStatisticsApi),
    operation(ServerStatisticsApi),
    operation(ShardingStatisticsApi),
  ].map(concealed),
];

function createRuntime(options: ResolvedModuleOptions, registry: RegistryCenter, clock: Clock): ElasticJobRuntime {
  const given = options.registry.reveal();
  const connectionTimeoutMs = given.type === 'zookeeper' ? given.connectionTimeoutMs : undefined;
  return new ElasticJobRuntime({ ...options, registry, clock, connectionTimeoutMs });
}

function createConfigurationApi(
  registry: RegistryCenter,
  { strategies, cronDialect }: ResolvedModuleOptions,
  runtime: ElasticJobRuntime,
): JobConfigurationApi {
  const assertEditable: AssertEditable = (settings, former) => runtime.assertEditable(settings, former);
  return new JobConfigurationApi(registry, strategies, assertEditable, cronDialect);
}

function part<T extends object>(
  token: abstract new (...args: never[]) => T,
  of: (runtime: ElasticJobRuntime) => T,
): FactoryProvider {
  return { provide: token, useFactory: of, inject: [ElasticJobRuntime] };
}

/** Works on what the registry holds, so also in a process that runs no jobs. */
function operation(token: new (registry: RegistryCenter, clock: Clock) => object): FactoryProvider {
  const useFactory = (registry: RegistryCenter, clock: Clock) => new token(registry, clock);
  return { provide: token, useFactory, inject: [REGISTRY_CENTER, CLOCK] };
}
