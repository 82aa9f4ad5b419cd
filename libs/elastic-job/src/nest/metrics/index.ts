// `nestjs-elastic-job/metrics`: metrics of this application's jobs for Prometheus. Reads memory, and counts events.
export { ElasticJobMetricsModule, type ElasticJobMetricsOptions } from './elastic-job-metrics.module.js';
export type { MetricBuckets } from './event.metrics.js';
export { JobMetrics } from './job-metrics.js';
export { type MetricDefinition, type MetricName, METRICS } from './metrics.catalogue.js';
