import {
  DEFAULT_SERVER_RETENTION_MINUTES,
  DEFAULT_SHARDING_TIMEOUT_MS,
  DEFAULT_STRATEGY,
  isJavaStrategyType,
  type JobConfiguration,
} from '../../domain/index.js';
import { isJavaTimeZone, NESTJS_PROPS } from './nestjs-props.js';
import { formatScalar } from './yaml-scalar.js';

type Entries = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * The text of a job's `config` node, as Java would write it, so that its diffs show changes only: keys in alphabetical
 * order, block style, nothing for a setting without a value.
 * @see ElasticJob, `JobConfigurationPOJO` and `YamlEngine`; unknown keys at top level are fatal to Java.
 */
export function formatConfiguration(configuration: JobConfiguration): string {
  const { strategy, timeZone } = configuration;
  return [
    ...formatEntries({
      cron: configuration.cron,
      description: configuration.description,
      disabled: configuration.disabled,
      failover: configuration.failover,
      jobName: configuration.jobName,
      jobParameter: configuration.jobParameter,
      jobShardingStrategyType: isOwnOrDefault(strategy.type) ? undefined : strategy.type,
      maxTimeDiffSeconds: configuration.maxTimeDiffSeconds,
      misfire: configuration.misfire,
      monitorExecution: configuration.monitorExecution,
      overwrite: configuration.overwrite,
    }),
    'props:',
    ...formatEntries(propsOf(configuration), '  '),
    ...formatEntries({
      reconcileIntervalMinutes: configuration.reconcileIntervalMinutes,
      shardingItemParameters: configuration.shardingItemParameters,
      shardingTotalCount: configuration.shardingTotalCount,
      staticSharding: configuration.staticSharding,
      timeZone: timeZone !== undefined && isJavaTimeZone(timeZone) ? timeZone : undefined,
    }),
    '',
  ].join('\n');
}

/** What Java lacks. Never empty: a node without `nestjs.clockChange` counts as written by Java. */
function propsOf({ clockChange, strategy, timeZone, ...rest }: JobConfiguration): Entries {
  const { concurrency, serverRetentionMinutes, shardingTimeoutMs, timeoutMs } = rest;
  return {
    [NESTJS_PROPS.clockChange]: clockChange,
    [NESTJS_PROPS.concurrency]: concurrency?.toString(),
    [NESTJS_PROPS.serverRetentionMinutes]:
      serverRetentionMinutes === DEFAULT_SERVER_RETENTION_MINUTES ? undefined : serverRetentionMinutes.toString(),
    [NESTJS_PROPS.shardingTimeoutMs]:
      shardingTimeoutMs === DEFAULT_SHARDING_TIMEOUT_MS ? undefined : shardingTimeoutMs.toString(),
    [NESTJS_PROPS.strategy]: isJavaStrategyType(strategy.type) ? undefined : strategy.type,
    [NESTJS_PROPS.timeZone]: timeZone !== undefined && isJavaTimeZone(timeZone) ? undefined : timeZone,
    [NESTJS_PROPS.timeoutMs]: timeoutMs?.toString(),
  };
}

function isOwnOrDefault(type: string): boolean {
  return type === DEFAULT_STRATEGY || !isJavaStrategyType(type);
}

function formatEntries(entries: Entries, indent = ''): string[] {
  return Object.entries(entries).flatMap(([key, value]) => {
    if (value === undefined) return [];
    const start = `${indent}${key}: `;
    if (typeof value !== 'string') return [`${start}${value}`];
    return [start + formatScalar(value, { column: start.length, indent: `${indent}  ` })];
  });
}
