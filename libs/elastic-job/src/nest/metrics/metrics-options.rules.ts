import { Registry } from 'prom-client';
import { nested, type OptionRow, OptionTable, rule, wholeFrom } from '../../domain/index.js';
import type { MetricBuckets } from './event.metrics.js';
import type { ElasticJobMetricsOptions } from './metrics-options.js';

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

/** Options of `ElasticJobMetricsModule`. */
export const METRICS_TABLE = new OptionTable(METRICS_OPTIONS, 'the metrics module');

function isPath(path: unknown): boolean {
  return typeof path === 'string' && /^[^\s?#]+$/.test(path);
}

function isAscending(list: unknown): boolean {
  if (!Array.isArray(list) || list.length === 0) return false;
  return list.every((bound, index) => Number.isFinite(bound) && bound > (list[index - 1] ?? 0));
}
