import {
  DEFAULT_ON_HUNG,
  DEFAULT_FAILOVER_QUEUE_LIMIT,
  DEFAULT_MAX_EXECUTOR_FAILOVERS,
  DEFAULT_MISFIRE_LIMIT,
  DEFAULT_RETRY,
  DEFAULT_SERVER_RETENTION_MINUTES,
  DEFAULT_SHARDING_TIMEOUT_MS,
  DEFAULT_SHUTDOWN_GRACE_MS,
  isJavaTimeZone,
  type JobConfiguration,
  type RetryPolicy,
} from '../../domain/index.js';
import { NESTJS_PROPS } from './nestjs-props.js';
import type { StoredConfiguration } from './parse-configuration.js';
import { placeTypes } from './place-types.js';
import { formatKey, formatScalar } from './yaml-scalar.js';

type Value = string | number | boolean | undefined;
type Texts = Readonly<Record<string, string | undefined>>;

/**
 * The text of a job's `config` node, as Java would write it, so that its diffs show changes only: keys in alphabetical
 * order, block style, nothing for a setting without a value.
 * @param keeping what the node holds. What only other versions know is written back as it was, and so are the names of
 *   types and keys of which Java has several.
 * @see ElasticJob, `JobConfigurationPOJO` and `YamlEngine`; unknown keys at top level are fatal to Java, and so is a
 *   listener that it lacks.
 */
export function formatConfiguration(configuration: JobConfiguration, keeping?: StoredConfiguration): string {
  const types = placeTypes(configuration, keeping);
  const entries = new Map(keeping?.unknown.entries);
  for (const [key, value] of Object.entries({ ...scalars(configuration), ...types.java })) {
    if (value !== undefined) entries.set(key, formatEntry(key, value));
  }
  const props = { ...keeping?.unknown.props, ...configuration.props, ...ownProps(configuration), ...types.own };
  entries.set('props', formatMapping('props', props));
  if (types.javaListeners.length > 0)
    entries.set('jobListenerTypes', formatList('jobListenerTypes', types.javaListeners));
  const extra = configuration.jobExtraConfigurations ?? keeping?.jobExtraConfigurations;
  if (extra !== undefined) entries.set('jobExtraConfigurations', formatExtra(extra.reveal()));
  const sorted = [...entries].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `${sorted.map(([, text]) => text).join('\n')}\n`;
}

function scalars(configuration: JobConfiguration): Readonly<Record<string, Value>> {
  const { timeZone } = configuration;
  return {
    cron: configuration.cron,
    description: configuration.description,
    disabled: configuration.disabled,
    failover: configuration.failover,
    jobName: configuration.jobName,
    jobParameter: configuration.jobParameter,
    label: configuration.label,
    maxTimeDiffSeconds: configuration.maxTimeDiffSeconds,
    misfire: configuration.misfire,
    monitorExecution: configuration.monitorExecution,
    overwrite: configuration.overwrite,
    reconcileIntervalMinutes: configuration.reconcileIntervalMinutes,
    shardingItemParameters: configuration.shardingItemParameters,
    shardingTotalCount: configuration.shardingTotalCount,
    staticSharding: configuration.staticSharding,
    timeZone: timeZone !== undefined && isJavaTimeZone(timeZone) ? timeZone : undefined,
  };
}

/** What Java lacks. Never empty: a node without `nestjs.clockChange` counts as written by Java. */
function ownProps({ clockChange, timeZone, ...rest }: JobConfiguration): Texts {
  const { concurrency, serverRetentionMinutes, shardingTimeoutMs, timeoutMs, onHung, shutdownGraceMs } = rest;
  const { after, cron, failoverQueueLimit, maxExecutorFailovers, misfireLimit, misfirePolicy, resident } = rest;
  return {
    [NESTJS_PROPS.clockChange]: clockChange,
    [NESTJS_PROPS.concurrency]: concurrency?.toString(),
    [NESTJS_PROPS.serverRetentionMinutes]: unless(DEFAULT_SERVER_RETENTION_MINUTES, serverRetentionMinutes),
    [NESTJS_PROPS.shardingTimeoutMs]: unless(DEFAULT_SHARDING_TIMEOUT_MS, shardingTimeoutMs),
    [NESTJS_PROPS.timeZone]: timeZone !== undefined && isJavaTimeZone(timeZone) ? undefined : timeZone,
    [NESTJS_PROPS.timeoutMs]: timeoutMs?.toString(),
    [NESTJS_PROPS.onHung]: onHung === DEFAULT_ON_HUNG ? undefined : onHung,
    [NESTJS_PROPS.shutdownGraceMs]: unless(DEFAULT_SHUTDOWN_GRACE_MS, shutdownGraceMs),
    [NESTJS_PROPS.failoverQueueLimit]: unless(DEFAULT_FAILOVER_QUEUE_LIMIT, failoverQueueLimit),
    [NESTJS_PROPS.maxExecutorFailovers]: unless(DEFAULT_MAX_EXECUTOR_FAILOVERS, maxExecutorFailovers),
    // Of a job without a schedule both are written: an operator may turn one kind into the other.
    [NESTJS_PROPS.resident]: cron === undefined ? resident.toString() : undefined,
    // The others follow from `misfire`.
    [NESTJS_PROPS.misfirePolicy]: misfirePolicy === 'all' ? misfirePolicy : undefined,
    [NESTJS_PROPS.misfireLimit]: unless(DEFAULT_MISFIRE_LIMIT, misfireLimit),
    ...retryProps(rest),
    [NESTJS_PROPS.after]: after.length === 0 ? undefined : after.join(','),
  };
}

function retryProps(policy: RetryPolicy): Texts {
  return {
    [NESTJS_PROPS.maxAttempts]: unless(DEFAULT_RETRY.maxAttempts, policy.maxAttempts),
    [NESTJS_PROPS.retryDelayMs]: unless(DEFAULT_RETRY.retryDelayMs, policy.retryDelayMs),
    [NESTJS_PROPS.retryFactor]: unless(DEFAULT_RETRY.retryFactor, policy.retryFactor),
    [NESTJS_PROPS.retryMaxDelayMs]: unless(DEFAULT_RETRY.retryMaxDelayMs, policy.retryMaxDelayMs),
    [NESTJS_PROPS.retryJitter]: unless(DEFAULT_RETRY.retryJitter, policy.retryJitter),
  };
}

function unless(usual: number, value: number): string | undefined {
  return value === usual ? undefined : value.toString();
}

function formatEntry(key: string, value: string | number | boolean, indent = ''): string {
  const start = formatKey(key, indent);
  if (typeof value !== 'string') return start + value;
  return start + formatScalar(value, { column: start.length - start.lastIndexOf('\n') - 1, indent: `${indent}  ` });
}

/** Java writes the entries in the order of a hash table; here they have one that does not change. */
function formatMapping(key: string, texts: Texts): string {
  const entries = Object.entries(texts).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [
    `${key}:`,
    ...entries.flatMap(([name, text]) => (text === undefined ? [] : [formatEntry(name, text, '  ')])),
  ].join('\n');
}

function formatList(key: string, texts: readonly string[]): string {
  return [`${key}:`, ...texts.map((text) => `- ${formatScalar(text, { column: 2, indent: '  ' })}`)].join('\n');
}

/** As it was read it begins behind the colon; as a developer writes it, with the list. */
function formatExtra(text: string): string {
  const start = /^\s/.test(text) ? '' : text.startsWith('- ') ? '\n' : ' ';
  return `jobExtraConfigurations:${start}${text.trimEnd()}`;
}
