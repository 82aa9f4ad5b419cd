import { isJavaTimeZone, type JobConfiguration, resolveJobOptions, type TemplateName } from '../../domain/index.js';
import { NESTJS_PREFIX, NESTJS_PROPS, NONE } from './nestjs-props.js';
import { isCreated, parseConfiguration, type StoredConfiguration } from './parse-configuration.js';
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
 * Of a job that was created from a template, only what is said, and what the node has, is written.
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
  const isWritten = whatIsWritten(said, keeping);
  const entries = new Map(keeping?.unknown.entries);
  const cron = keeping !== undefined && isCreated(keeping) ? (configuration.cron ?? '') : configuration.cron;
  for (const [key, value] of Object.entries({ ...scalars(configuration), cron, ...types.java })) {
    if (value !== undefined && isWritten(key)) entries.set(key, formatEntry(key, value));
  }
  const own = Object.entries({ ...ownProps(configuration, saidProps), ...types.own });
  const props = {
    ...keeping?.unknown.props,
    ...(isWritten('props') ? configuration.props : keeping?.props),
    ...Object.fromEntries(own.filter(([prop]) => saidProps.has(prop) || isWritten(prop))),
    [NESTJS_PROPS.template]: keeping?.nestjs.template,
  };
  entries.set('props', formatMapping('props', props));
  if (types.javaListeners.length > 0)
    entries.set('jobListenerTypes', formatList('jobListenerTypes', types.javaListeners));
  const given = isWritten('jobExtraConfigurations') ? configuration.jobExtraConfigurations : undefined;
  const extra = given ?? keeping?.jobExtraConfigurations;
  if (extra !== undefined) entries.set('jobExtraConfigurations', formatExtra(extra.reveal()));
  const sorted = [...entries].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `${sorted.map(([, text]) => text).join('\n')}\n`;
}

/**
 * Which settings are written: all, but of a job that was created from a template only what is said, or was written
 * before. `props` are so only if they are said.
 */
function whatIsWritten(said: readonly string[], keeping: StoredConfiguration | undefined): (key: string) => boolean {
  if (keeping === undefined || !isCreated(keeping)) return () => true;
  const { nestjs: _1, props: _2, unknown: _3, ...stored } = keeping;
  const written = Object.entries(stored).flatMap(([key, value]) => (value === undefined ? [] : [key]));
  const known = new Set([
    ...said,
    ...written,
    'jobName',
    ...(said.includes('strategy') ? ['jobShardingStrategyType'] : []),
  ]);
  return (key) => known.has(key);
}

/**
 * The text of `config` of a job that is created from a template.
 * @param said the settings that it has of its own
 */
export function formatCreated(
  configuration: JobConfiguration,
  template: TemplateName,
  said: readonly string[],
): string {
  const { jobName } = configuration;
  const nothing = parseConfiguration('props:\n', jobName);
  return formatConfiguration(configuration, { ...nothing, nestjs: { ...nothing.nestjs, template } }, said);
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
