import { ConfigurableModuleBuilder, type DynamicModule, Module } from '@nestjs/common';
import type { Clock } from '../../clock/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import { ElasticJobRuntime } from '../../runtime/index.js';
import { JobEvents } from '../../tracing/index.js';
import type { TaskScheduler } from '../cloud/task-scheduler.js';
import type { ResolvedModuleOptions } from '../resolve-module-options.js';
import { missingOptions } from '../missing-options.js';
import { CLOCK, ELASTIC_JOB_OPTIONS, REGISTRY_CENTER, TASK_SCHEDULER } from '../tokens.js';
import { JobLabels } from './job-labels.js';
import { JobMetrics } from './job-metrics.js';
import type { ElasticJobMetricsOptions } from './metrics-options.js';
import { METRICS_TABLE } from './metrics-options.rules.js';
import { metricsControllerAt } from './metrics.controller.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<
  Omit<ElasticJobMetricsOptions, 'path'>
>({ moduleName: 'ElasticJobMetrics' })
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createElasticJobMetricsOptions')
  .setExtras<Pick<ElasticJobMetricsOptions, 'path'>>({ path: '/metrics' }, (definition, given) => {
    const { path = '/metrics' } = METRICS_TABLE.checked('ElasticJobMetricsModule', { path: given.path });
    return { ...definition, controllers: path === false ? [] : [metricsControllerAt(path)] };
  })
  .build();

/**
 * Serves the metrics of this application's jobs to Prometheus. Needs `ElasticJobModule` in the application, and makes
 * no request to the job registry. `forRootAsync` takes the options from a factory or class; `path` stands beside that,
 * since routes are known before providers are.
 *
 * ```ts
 * imports: [ElasticJobModule.forRoot({ registry }), ElasticJobMetricsModule.forRoot()]
 * ```
 */
@Module({
  providers: [
    missingOptions(MODULE_OPTIONS_TOKEN, 'ElasticJobMetricsModule', 'ElasticJobMetricsModule.forRoot()'),
    {
      provide: JobMetrics,
      inject: [
        MODULE_OPTIONS_TOKEN,
        ElasticJobRuntime,
        JobEvents,
        REGISTRY_CENTER,
        CLOCK,
        ELASTIC_JOB_OPTIONS,
        { token: TASK_SCHEDULER, optional: true },
      ],
      useFactory: createMetrics,
    },
  ],
  exports: [JobMetrics],
})
export class ElasticJobMetricsModule extends ConfigurableModuleClass {
  /** @throws {ConfigurationError} that names every wrong option with its value */
  static override forRoot(options: ElasticJobMetricsOptions = {}): DynamicModule {
    return super.forRoot(METRICS_TABLE.checked('ElasticJobMetricsModule', options));
  }
}

function createMetrics(
  options: Omit<ElasticJobMetricsOptions, 'path'>,
  runtime: ElasticJobRuntime,
  events: JobEvents,
  registry: RegistryCenter,
  clock: Clock,
  { errorHandlers }: ResolvedModuleOptions,
  tasks?: TaskScheduler,
): JobMetrics {
  const { registry: into, maxJobs = 100, buckets } = METRICS_TABLE.checked('ElasticJobMetricsModule', options);
  const errorHandlerTypes = errorHandlers.map(({ type }) => type.toUpperCase());
  const jobs = new JobLabels(maxJobs, (jobName) => runtime.registrar.find(jobName) !== undefined);
  const backend = () => tasks?.status;
  return new JobMetrics({ runtime, events, registry, clock, jobs, into, buckets, errorHandlerTypes, backend });
}
