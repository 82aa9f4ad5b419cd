import type { Registry } from 'prom-client';
import type { MetricBuckets } from './event.metrics.js';

/** What `ElasticJobMetricsModule.forRoot` takes, and `forRootAsync`. */
export interface ElasticJobMetricsOptions {
  /**
   * Where the metrics are registered, and what is served: with the application's own, if it has some.
   * @default a new one
   */
  readonly registry?: Registry;
  /** Where they are served, below the application's global prefix. False: nowhere. @default '/metrics' */
  readonly path?: string | false;
  /** So many jobs are told apart by the label `job`; all further ones are `other`. @default 100 */
  readonly maxJobs?: number;
  /** Upper bounds of the histograms, in seconds, ascending. @default as docs/telemetry.md lists them */
  readonly buckets?: MetricBuckets;
}
