import { isJavaTimeZone, type JobConfiguration, resolveJobOptions } from '../../domain/index.js';
import { NESTJS_PREFIX, NESTJS_PROPS, NONE } from './nestjs-props.js';
import type { StoredConfiguration } from './parse-configuration.js';
import { placeTypes } from './place-types.js';
import { formatKey, formatScalar } from './yaml-scalar.js';

type Value = string | number | boolean | undefined;
type Texts = Readonly<Record<string, string | undefined>>;

const DEFAULTS = resolveJobOptions(
  { name: 'defaults', cron: '* * * * * ?', shardingTotalCount: 1 },
  { place: 'the defaults' },
);

/**
 * The text of a job's `config` node, as Java would write it, so that its diffs show changes only: keys in alphabetical
 * order, block style, nothing for a setting without a value.
 * @param keeping what the node holds. What only other versions know is written back as it was, and so are the names of
 *   types and keys of which Java has several.
 * @param said settings that are written even as the default: what a node says of ours wins over the local options of
 *   every instance, and what it leaves out does not. The node goes on to say what it said before.
 * @see ElasticJob, `JobConfigurationPOJO` and `YamlEngine`; unknown keys at top level are fatal to Java, and so is a
 *   listener that it lacks.
 */
export function formatConfiguration(
  configuration: JobConfiguration,
  keeping?: StoredConfiguration,
  said: readonly string[] = [],
): string {
  const saidProps = propsToSay(said, keeping);
  const types = placeTypes(configuration, keeping, saidProps);
  const entries = new Map(keeping?.unknown.entries);
  for (const [key, value] of Object.entries({ ...scalars(configuration), ...types.java })) {
    if (value !== undefined) entries.set(key, formatEntry(key, value));
  }
  const props = {
    ...keeping?.unknown.props,
    ...configuration.props,
    ...ownProps(configuration, saidProps),
    ...types.own,
  };
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

/**
 * What Java lacks. A default is written only where it is said. Never empty: a node without `nestjs.clockChange` counts as
 * written by Java.
 */
function ownProps(configuration: JobConfiguration, said: ReadonlySet<string>): Texts {
  const usual = ownTexts(DEFAULTS);
  const texts = Object.entries(ownTexts(configuration));
  const written = texts.filter(([prop, text]) => text !== usual[prop] || said.has(prop));
  return { ...Object.fromEntries(written), [NESTJS_PROPS.clockChange]: configuration.clockChange };
}

/** Every setting that Java lacks; undefined where the node says it elsewhere. */
function ownTexts(configuration: JobConfiguration): Texts {
  const { after, cron, misfirePolicy, resident, timeZone, ...settings } = configuration;
  return {
    [NESTJS_PROPS.concurrency]: settings.concurrency?.toString() ?? NONE,
    [NESTJS_PROPS.serverRetentionMinutes]: settings.serverRetentionMinutes.toString(),
    [NESTJS_PROPS.shardingTimeoutMs]: settings.shardingTimeoutMs.toString(),
    [NESTJS_PROPS.timeZone]: timeZone !== undefined && isJavaTimeZone(timeZone) ? undefined : (timeZone ?? NONE),
    [NESTJS_PROPS.timeoutMs]: settings.timeoutMs?.toString() ?? NONE,
    [NESTJS_PROPS.onHung]: settings.onHung,
    [NESTJS_PROPS.shutdownGraceMs]: settings.shutdownGraceMs.toString(),
    [NESTJS_PROPS.failoverQueueLimit]: settings.failoverQueueLimit.toString(),
    [NESTJS_PROPS.maxExecutorFailovers]: settings.maxExecutorFailovers.toString(),
    // Of a job without a schedule both are written: an operator may turn one kind into the other.
    [NESTJS_PROPS.resident]: cron === undefined ? resident.toString() : undefined,
    // The others follow from `misfire`.
    [NESTJS_PROPS.misfirePolicy]: misfirePolicy === 'all' ? misfirePolicy : undefined,
    [NESTJS_PROPS.misfireLimit]: settings.misfireLimit.toString(),
    [NESTJS_PROPS.maxAttempts]: settings.maxAttempts.toString(),
    [NESTJS_PROPS.retryDelayMs]: settings.retryDelayMs.toString(),
    [NESTJS_PROPS.retryFactor]: settings.retryFactor.toString(),
    [NESTJS_PROPS.retryMaxDelayMs]: settings.retryMaxDelayMs.toString(),
    [NESTJS_PROPS.retryJitter]: settings.retryJitter.toString(),
    [NESTJS_PROPS.after]: after.join(','),
  };
}

function propsToSay(said: readonly string[], keeping: StoredConfiguration | undefined): ReadonlySet<string> {
  const kept = Object.entries(keeping?.nestjs ?? {}).filter(([, value]) => value !== undefined);
  return new Set([...said, ...kept.map(([setting]) => setting)].map((setting) => NESTJS_PREFIX + setting));
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
