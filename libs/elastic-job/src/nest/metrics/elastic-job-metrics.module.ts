import {
  ConfigurableModuleBuilder,
  Controller,
  type DynamicModule,
  Get,
  Module,
  StreamableFile,
  type Type,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { Registry } from 'prom-client';
import type { Clock } from '../../clock/index.js';
import { nested, type OptionRow, OptionTable, rule, wholeFrom } from '../../domain/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import { ElasticJobRuntime } from '../../runtime/index.js';
import { JobEvents } from '../../tracing/index.js';
import type { TaskScheduler } from '../cloud/task-scheduler.js';
import { CLOCK, ELASTIC_JOB_OPTIONS, missingOptions, REGISTRY_CENTER, TASK_SCHEDULER } from '../module-definition.js';
import type { ResolvedModuleOptions } from '../resolve-module-options.js';
import type { MetricBuckets } from './event.metrics.js';
import { JobMetrics } from './job-metrics.js';
import { JobLabels } from './job-series.js';

/** Options of `ElasticJobMetricsModule.forRoot` and `forRootAsync`. */
export interface ElasticJobMetricsOptions {
  /**
   * Registry of the metrics, all of which is served, including the application's own metrics in it.
   * @default a new one
   */
  readonly registry?: Registry;
  /** Path at which they are served, below the application's global prefix; false: not served. @default '/metrics' */
  readonly path?: string | false;
  /**
   * Most jobs of this process that are told apart by the label `job` at a time; all further ones are `other`.
   * @default 100
   */
  readonly maxJobs?: number;
  /** Upper bounds of the histograms, in seconds, ascending. @default those in docs/reference/metrics.md */
  readonly buckets?: MetricBuckets;
}

const bounds = rule('a list of seconds, ascending, such as [0.1, 1, 10]', isAscending);

const BUCKETS = {
  lateness: { rule: bounds },
  duration: { rule: bounds },
  taskStart: { rule: bounds },
} as const satisfies Readonly<Record<keyof MetricBuckets, OptionRow>>;

const METRICS_OPTIONS = {
  registry: { rule: rule('a Registry of prom-client', (value) => value instanceof Registry) },
  path: { rule: rule('a path such as "/metrics", or false', (value) => value === false || isPath(value)) },
  maxJobs: { rule: wholeFrom(1) },
  buckets: {
    rule: nested(
      'lists of seconds, such as { lateness: [0.1, 1, 10] }',
      new OptionTable(BUCKETS, 'the metrics module', 'buckets.'),
    ),
  },
} as const satisfies Readonly<Record<keyof ElasticJobMetricsOptions, OptionRow>>;

const METRICS_TABLE = new OptionTable(METRICS_OPTIONS, 'the metrics module');

function isPath(path: unknown): boolean {
  return typeof path === 'string' && /^[^\s?#]+$/.test(path);
}

function isAscending(list: unknown): boolean {
  if (!Array.isArray(list) || list.length === 0) return false;
  return list.every((bound, index) => Number.isFinite(bound) && bound > (list[index - 1] ?? 0));
}

/** Makes a new class for each path: two applications of one process may serve different ones. */
function metricsControllerAt(path: string): Type<object> {
  @Controller({ path, version: VERSION_NEUTRAL })
  class MetricsController {
    constructor(private readonly metrics: JobMetrics) {}

    @Get()
    async scrape(): Promise<StreamableFile> {
      const { registry } = this.metrics;
      // Express and Fastify both read the content type from it.
      return new StreamableFile(Buffer.from(await registry.metrics()), { type: registry.contentType });
    }
  }
  return MetricsController;
}

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
