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
  const isOnlyChanges = keeping !== undefined && isCreated(keeping);
  const saidSettings = settingsToSay(said, keeping);
  const types = placeTypes(configuration, keeping, saidSettings);
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

/**
 * The settings that Java lacks, by name. A default is written only where it is said. Never empty: a node without
 * `nestjs.clockChange` counts as written by Java.
 */
function ownTexts(configuration: JobConfiguration, said: ReadonlySet<string>): Texts {
  const { clockChange, cron, misfirePolicy, resident } = configuration;
  const isWritten = (name: SettingAt<'nestjs'>) =>
    said.has(name) || textOf(configuration[name]) !== textOf(JOB_SETTINGS[name].default);
  return {
    ...byName<OwnTexts>(NESTJS_SETTINGS.filter(isWritten), (name) => textOf(configuration[name])),
    clockChange,
    // Of a job without a schedule both are written: an operator may turn one kind into the other.
    resident: cron === undefined ? String(resident) : undefined,
    // The others follow from `misfire`.
    misfirePolicy: misfirePolicy === 'all' ? misfirePolicy : undefined,
  };
}

/** Names of a list are separated by commas. */
function textOf(value: JobConfiguration[SettingAt<'nestjs'>]): string {
  return value === undefined ? NONE : String(value);
}

/** Those that are said now, and those that the node said before. */
function settingsToSay(said: readonly string[], keeping: StoredConfiguration | undefined): ReadonlySet<string> {
  const kept = Object.entries(keeping?.nestjs ?? {}).filter(([, value]) => value !== undefined);
  return new Set([...said, ...kept.map(([setting]) => setting)]);
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
