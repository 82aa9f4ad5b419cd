import {
  byName,
  JAVA_SETTINGS,
  JOB_SETTINGS,
  type JobConfiguration,
  NESTJS_PREFIX,
  NESTJS_SETTINGS,
  NONE,
  type SettingAt,
  type TemplateName,
} from '../../domain/index.js';
import { isCreated, parseConfiguration, type StoredConfiguration } from './parse-configuration.js';
import { placeTypes } from './place-types.js';
import { formatEntry, formatScalar } from './yaml-scalar.js';

type OwnTexts = Record<SettingAt<'nestjs'>, string>;
type Texts = Readonly<Record<string, string | undefined>>;

/**
 * Text of a job's `config` node as Java would write it, so that diffs in Java show only changes: keys in alphabetical
 * order, block style, no entry for a setting without a value. For a job created from a template, only the settings in
 * `said` and those of the node are written.
 * @param keeping present content of the node. Parts that only other versions know are written back unchanged, and so
 * are names of types and keys of which Java has several.
 * @param said settings that are written even with their default, since a setting of ours in the node overrides the
 * local options of every instance, while a missing one does not. Settings that the node had before stay in it.
 * @param onceTypes types of listeners that distribute once, which Java peers must have too
 * @see ElasticJob, `JobConfigurationPOJO` and `YamlEngine`; Java fails on unknown keys at top level and on listeners
 * that it lacks.
 */
export function formatConfiguration(
  configuration: JobConfiguration,
  keeping?: StoredConfiguration,
  said: readonly string[] = [],
  onceTypes: readonly string[] = [],
): string {
  const isOnlyChanges = keeping !== undefined && isCreated(keeping);
  const saidSettings = settingsToSay(said, keeping);
  const types = placeTypes(configuration, keeping, saidSettings, onceTypes);
  const isWritten = whatIsWritten(said, keeping);
  const entries = new Map(keeping?.unknown.entries);
  const cron = configuration.cron ?? (isOnlyChanges ? '' : undefined);
  const java = byName<Pick<JobConfiguration, SettingAt<'java'>>>(JAVA_SETTINGS, (name) => configuration[name]);
  for (const [key, value] of Object.entries({ ...java, cron, jobName: configuration.jobName, ...types.java })) {
    if (value !== undefined && isWritten(key)) entries.set(key, formatEntry(key, value));
  }
  const own = Object.entries({ ...ownTexts(configuration, saidSettings), ...types.own }).filter(
    ([setting]) => !isOnlyChanges || saidSettings.has(setting),
  );
  const props = {
    ...keeping?.unknown.props,
    ...(isWritten('props') ? configuration.props : keeping?.props),
    ...Object.fromEntries(own.map(([setting, text]) => [NESTJS_PREFIX + setting, text])),
    [`${NESTJS_PREFIX}template`]: keeping?.nestjs.template,
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
 * Selects the settings to write: all of them, but for a job created from a template only those in `said` or written
 * before. Its `props` are written only if they are in `said`.
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
 * Text of `config` for a job that is created from a template.
 * @param said the job's own settings
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

/**
 * Settings that Java lacks, by name. A default is written only if it is in `said`. Never empty, since a node without
 * `nestjs.clockChange` counts as written by Java.
 */
function ownTexts(configuration: JobConfiguration, said: ReadonlySet<string>): Texts {
  const { clockChange, cron, misfirePolicy, resident } = configuration;
  const isWritten = (name: SettingAt<'nestjs'>) =>
    said.has(name) || textOf(configuration[name]) !== textOf(JOB_SETTINGS[name].default);
  return {
    ...byName<OwnTexts>(NESTJS_SETTINGS.filter(isWritten), (name) => textOf(configuration[name])),
    clockChange,
    // Written both ways for a job without a schedule, since an operator may turn one kind into the other.
    resident: cron === undefined ? String(resident) : undefined,
    // The other policies follow from `misfire`.
    misfirePolicy: misfirePolicy === 'all' ? misfirePolicy : undefined,
  };
}

/** Names of a list are separated by commas. */
function textOf(value: JobConfiguration[SettingAt<'nestjs'>]): string {
  return value === undefined ? NONE : String(value);
}

/** Settings to write explicitly: those in `said`, and those that the node had before. */
function settingsToSay(said: readonly string[], keeping: StoredConfiguration | undefined): ReadonlySet<string> {
  const kept = Object.entries(keeping?.nestjs ?? {}).filter(([, value]) => value !== undefined);
  return new Set([...said, ...kept.map(([setting]) => setting)]);
}

/** Java writes the entries in the order of a hash table; here the order is stable. */
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

/** A text from a node begins right after the colon; a text from a developer begins with the list. */
function formatExtra(text: string): string {
  const start = /^\s/.test(text) ? '' : text.startsWith('- ') ? '\n' : ' ';
  return `jobExtraConfigurations:${start}${text.trimEnd()}`;
}
