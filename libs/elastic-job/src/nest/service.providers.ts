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
import { MemoryRegistry, MissingRegistry, type RegistryCenter, ZooKeeperRegistryCenter } from '../registry/index.js';
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
import { IN_TASK, optionsFor, withoutRegistry } from './in-task.js';
import {
  CLOCK,
  concealed,
  ELASTIC_JOB_OPTIONS,
  FROM_FACTORY,
  MODULE_OPTIONS_TOKEN,
  REGISTRY_CENTER,
} from './module-definition.js';
import type { ResolvedModuleOptions } from './resolve-module-options.js';

/** One provider per service and module, under its class token or symbol, so that a test can override each of them. */
export const SERVICE_PROVIDERS: readonly FactoryProvider[] = [
  {
    provide: ELASTIC_JOB_OPTIONS,
    useFactory: optionsFor,
    inject: [MODULE_OPTIONS_TOKEN, IN_TASK, { token: FROM_FACTORY, optional: true }],
  },
  {
    provide: CLOCK,
    useFactory: ({ clock, host }: ResolvedModuleOptions) => clock ?? new SystemClock({ host }),
    inject: [ELASTIC_JOB_OPTIONS],
  },
  ...[
    {
      provide: REGISTRY_CENTER,
      useFactory: ({ registry }: ResolvedModuleOptions, clock: Clock, isInTask?: true) =>
        isInTask ? new MissingRegistry() : createRegistryCenter(registry, clock),
      inject: [ELASTIC_JOB_OPTIONS, CLOCK, IN_TASK],
    },
    { provide: ElasticJobRuntime, useFactory: createRuntime, inject: [ELASTIC_JOB_OPTIONS, REGISTRY_CENTER, CLOCK] },
    { provide: JobEvents, useFactory: ({ events }: ElasticJobRuntime) => events, inject: [ElasticJobRuntime] },
    {
      provide: EventSinks,
      useFactory: ({ redact, tokenEpoch, tracing, version }: ResolvedModuleOptions, events: JobEvents, clock: Clock) =>
        new EventSinks(tracing, events, clock, redact, { version, tokenEpoch }),
      inject: [ELASTIC_JOB_OPTIONS, JobEvents, CLOCK],
    },
    asking(JobRegistrar, (runtime) => runtime.registrar, ['change']),
    asking(LeaderService, (runtime) => runtime.leader),
    asking(ShardingService, (runtime) => runtime.sharding),
    asking(FailoverService, (runtime) => runtime.failover),
    asking(ExecutionService, (runtime) => runtime.executions),
    asking(InstanceService, (runtime) => runtime.instances),
    asking(ServerService, (runtime) => runtime.servers),
    asking(ConfigurationService, (runtime) => runtime.configurations, ['current']),
    {
      provide: JobConfigurationApi,
      useFactory: createConfigurationApi,
      inject: [REGISTRY_CENTER, ELASTIC_JOB_OPTIONS, ElasticJobRuntime],
    },
    {
      provide: JobOperateApi,
      useFactory: createOperateApi,
      inject: [REGISTRY_CENTER, CLOCK, ELASTIC_JOB_OPTIONS, ElasticJobRuntime],
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

function createOperateApi(
  registry: RegistryCenter,
  clock: Clock,
  { strategies, cronDialect, redact }: ResolvedModuleOptions,
  { templates }: ElasticJobRuntime,
): JobOperateApi {
  return new JobOperateApi(registry, clock, strategies, cronDialect, (name) => templates.find(name), redact);
}

function createConfigurationApi(
  registry: RegistryCenter,
  { strategies, cronDialect }: ResolvedModuleOptions,
  runtime: ElasticJobRuntime,
): JobConfigurationApi {
  const assertEditable: AssertEditable = (settings, former, template) =>
    runtime.assertEditable(settings, former, template);
  const strategyOf = (jobName: string) => runtime.registrar.find(jobName)?.configuration.strategy;
  return new JobConfigurationApi(registry, strategies, assertEditable, cronDialect, strategyOf);
}

/**
 * A service some of whose methods ask the registry.
 * @param asking the methods that do. @default all of them
 */
function asking<T extends object>(
  token: abstract new (...args: never[]) => T,
  of: (runtime: ElasticJobRuntime) => T,
  methods?: readonly (keyof T & string)[],
): FactoryProvider {
  const useFactory = (runtime: ElasticJobRuntime, isInTask?: true) =>
    isInTask ? withoutRegistry(of(runtime), methods) : of(runtime);
  return { provide: token, useFactory, inject: [ElasticJobRuntime, IN_TASK] };
}

/** An operator's service, which also works in a process that runs no jobs. */
function operation(token: new (registry: RegistryCenter, clock: Clock) => object): FactoryProvider {
  const useFactory = (registry: RegistryCenter, clock: Clock) => new token(registry, clock);
  return { provide: token, useFactory, inject: [REGISTRY_CENTER, CLOCK] };
}

/**
 * Creates the client of the registry that the options name, not connected yet.
 * @throws {ConfigurationError} for a wrong server list or an illegal namespace.
 */
export function createRegistryCenter(registry: ResolvedModuleOptions['registry'], clock: Clock): RegistryCenter {
  const options = registry.reveal();
  switch (options.type) {
    case 'memory': {
      const { server = new MemoryRegistry(clock), namespace = 'elastic-job' } = options;
      const { sessionTimeoutMs = 15_000, requestTimeoutMs = 10_000 } = options;
      return server.center({ namespace, sessionTimeoutMs, requestTimeoutMs, clock });
    }
    case 'zookeeper':
      return new ZooKeeperRegistryCenter(options, clock);
    default:
      return options satisfies never;
  }
}
