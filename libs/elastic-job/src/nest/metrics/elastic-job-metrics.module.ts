import { type DynamicModule, Module } from '@nestjs/common';
import type { Registry } from 'prom-client';
import type { Clock } from '../../clock/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import { ElasticJobRuntime } from '../../runtime/index.js';
import { JobEvents } from '../../tracing/index.js';
import { CLOCK, REGISTRY_CENTER } from '../tokens.js';
import type { MetricBuckets } from './event.metrics.js';
import { JobLabel } from './job-label.js';
import { JobMetrics } from './job-metrics.js';
import { assertMetricsOptions } from './metrics-options.rules.js';
import { metricsControllerAt } from './metrics.controller.js';

/** What `ElasticJobMetricsModule.forRoot` takes. */
export interface ElasticJobMetricsOptions {
  /** Where the metrics are registered, and what is served: with the application's own, if it has some. @default a new one */
  readonly registry?: Registry;
  /** Where they are served, below the application's global prefix. False: nowhere. @default '/metrics' */
  readonly path?: string | false;
  /** So many jobs are told apart by the label `job`; all further ones are `other`. @default 100 */
  readonly maxJobs?: number;
  /** Upper bounds of the histograms, in seconds, ascending. @default as docs/telemetry.md lists them */
  readonly buckets?: MetricBuckets;
}

/**
 * Serves the metrics of this application's jobs to Prometheus. Needs `ElasticJobModule` in the application, and makes no request
 * to the job registry.
 *
 * ```ts
 * imports: [ElasticJobModule.forRoot({ registry }), ElasticJobMetricsModule.forRoot()]
 * ```
 */
@Module({})
export class ElasticJobMetricsModule {
  /** @throws {ConfigurationError} that names every wrong option with its value */
  static forRoot(options: ElasticJobMetricsOptions = {}): DynamicModule {
    assertMetricsOptions(options);
    const { registry: into, path = '/metrics', maxJobs = 100, buckets } = options;
    const useFactory = (runtime: ElasticJobRuntime, events: JobEvents, registry: RegistryCenter, clock: Clock) =>
      new JobMetrics({ runtime, events, registry, clock, jobs: new JobLabel(maxJobs), into, buckets });
    return {
      module: ElasticJobMetricsModule,
      providers: [{ provide: JobMetrics, useFactory, inject: [ElasticJobRuntime, JobEvents, REGISTRY_CENTER, CLOCK] }],
      controllers: path === false ? [] : [metricsControllerAt(path)],
      exports: [JobMetrics],
    };
  }
}
