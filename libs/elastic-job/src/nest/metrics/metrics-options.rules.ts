import { Registry } from 'prom-client';
import { assertOptionsObject, ConfigurationError, OptionTable, rule, show } from '../../domain/index.js';
import type { ElasticJobMetricsOptions } from './metrics-options.js';

const judgedBelow = { rule: rule('a value', () => true) };
const NAMES = new OptionTable(
  { registry: judgedBelow, path: judgedBelow, maxJobs: judgedBelow, buckets: judgedBelow },
  'the metrics module',
);

/** @throws {ConfigurationError} that names every wrong option with its value and what would be right */
export function assertMetricsOptions(options: ElasticJobMetricsOptions): void {
  assertOptionsObject('ElasticJobMetricsModule', options);
  const { registry, path, maxJobs, buckets = {} } = options;
  const problems = [
    ...NAMES.findUnknown(options),
    ...wrong('registry', registry, 'a Registry of prom-client', registry instanceof Registry),
    ...wrong('path', path, 'a path such as "/metrics", or false', path === false || isPath(path)),
    ...wrong('maxJobs', maxJobs, 'a whole number from 1', Number.isSafeInteger(maxJobs) && Number(maxJobs) >= 1),
    ...wrong('buckets.lateness', buckets.lateness, ASCENDING, isAscending(buckets.lateness)),
    ...wrong('buckets.duration', buckets.duration, ASCENDING, isAscending(buckets.duration)),
    ...wrong('buckets.taskStart', buckets.taskStart, ASCENDING, isAscending(buckets.taskStart)),
  ];
  if (problems.length > 0) throw new ConfigurationError('ElasticJobMetricsModule', problems);
}

const ASCENDING = 'a list of seconds, ascending, such as [0.1, 1, 10]';

function wrong(option: string, value: unknown, right: string, isRight: boolean): string[] {
  return value === undefined || isRight ? [] : [`${option} must be ${right}, but is ${show(value)}`];
}

function isPath(path: unknown): boolean {
  return typeof path === 'string' && /^[^\s?#]+$/.test(path);
}

function isAscending(bounds: readonly unknown[] | undefined): boolean {
  return Array.isArray(bounds) && bounds.length > 0 && bounds.every((bound, index) => bound > (bounds[index - 1] ?? 0));
}
