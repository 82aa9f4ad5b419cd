import type { Registry } from 'prom-client';
import type { MetricBuckets } from './event.metrics.js';

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
