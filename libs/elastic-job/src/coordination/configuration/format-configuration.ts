import {
  byName,
  isJavaErrorHandlerType,
  isJavaStrategyType,
  isJavaThreadPoolSizeType,
  isJavaTimeZone,
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

/** Settings that are names and may be absent. */
export type NamedSetting = 'timeZone' | 'jobErrorHandlerType' | 'jobExecutorThreadPoolSizeProviderType';

export const POOL_SIZE = 'jobExecutorThreadPoolSizeProviderType';

/** Places of the names of a job's types and zone. */
interface PlacedTypes {
  /** Names by key of the node's top level. */
  readonly java: Texts;
  /** Names by setting, for the node's props. */
  readonly own: Texts;
  readonly javaListeners: readonly string[];
}

/**
 * Places each type: at top level if Java has it, or if the node has it there already and a Java process thus has it.
 * Any other type goes into our props: Java would silently use another strategy, and would not start at all with an
 * unknown listener. Only a distribute-once listener stands at top level for Java peers to have it too, since it waits
 * for their items; a job created from a template has no such peers.
 * @param said settings that are written even with their default
 * @param onceTypes types of listeners that distribute once
 */
function placeTypes(
  configuration: JobConfiguration,
  stored: StoredConfiguration | undefined,
  said: ReadonlySet<string>,
  onceTypes: readonly string[],
): PlacedTypes {
  const placeNamed = (setting: NamedSetting, kept: string | undefined, isJava: (type: string) => boolean) =>
    place(configuration[setting], kept, isJava, said.has(setting) ? NONE : undefined);
  const strategy = place(strategyOf(configuration, stored, said), stored?.jobShardingStrategyType, isJavaStrategyType);
  const timeZone = placeNamed('timeZone', undefined, isJavaTimeZone);
  const errorHandler = placeNamed('jobErrorHandlerType', stored?.jobErrorHandlerType, isJavaErrorHandlerType);
  const poolSize = placeNamed(POOL_SIZE, poolSizeIn(stored), isJavaThreadPoolSizeType);
  const { jobListenerTypes } = configuration;
  const atTop = new Set(stored?.jobListenerTypes);
  const hasOwn = jobListenerTypes.some((name) => !atTop.has(name));
  if (stored === undefined || !isCreated(stored)) for (const type of onceTypes) atTop.add(type);
  return {
    java: {
      jobShardingStrategyType: strategy.java,
      timeZone: timeZone.java,
      jobErrorHandlerType: errorHandler.java,
      [poolSizeKeyIn(stored)]: poolSize.java,
    },
    own: {
      strategy: strategy.own,
      timeZone: timeZone.own,
      jobErrorHandlerType: errorHandler.own,
      jobExecutorThreadPoolSizeProviderType: poolSize.own,
      // Also written if it is empty: nothing of the local options is then added to what stands at top level.
      jobListenerTypes:
        hasOwn || said.has('jobListenerTypes')
          ? jobListenerTypes.filter((name) => !atTop.has(name)).join(',')
          : undefined,
    },
    javaListeners: jobListenerTypes.filter((name) => atTop.has(name)),
  };
}

/** Strategy to write. The default needs no name, unless the node has it already or it is in `said`. */
function strategyOf(
  { strategy: { type } }: JobConfiguration,
  stored: StoredConfiguration | undefined,
  said: ReadonlySet<string>,
): string | undefined {
  const isNamed = type === stored?.jobShardingStrategyType || said.has('strategy');
  return isNamed || type !== JOB_SETTINGS.strategy.default ? type : undefined;
}

/** @param none value among our props if there is no type */
function place(
  type: string | undefined,
  stored: string | undefined,
  isJava: (type: string) => boolean,
  none?: string,
): { readonly java: string | undefined; readonly own: string | undefined } {
  const isAtTop = type !== undefined && (type === stored || isJava(type));
  return isAtTop ? { java: type, own: undefined } : { java: undefined, own: type ?? none };
}

/** Size of Java's thread pool, by whichever of its two keys the node has. */
export function poolSizeIn(stored: StoredConfiguration | undefined): string | undefined {
  return stored?.jobExecutorThreadPoolSizeProviderType ?? stored?.jobExecutorServiceHandlerType;
}

// Each key stops instances that know only the other one, so the key is never switched, and never written twice.
function poolSizeKeyIn(stored: StoredConfiguration | undefined) {
  const isOld = stored?.jobExecutorServiceHandlerType !== undefined;
  const isNew = stored?.jobExecutorThreadPoolSizeProviderType !== undefined;
  return isOld && !isNew ? 'jobExecutorServiceHandlerType' : 'jobExecutorThreadPoolSizeProviderType';
}
