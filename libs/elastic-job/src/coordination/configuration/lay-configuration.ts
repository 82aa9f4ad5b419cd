import {
  type AllowedRegistryTargets,
  byName,
  COMMON_SETTINGS,
  ConfigurationError,
  guardProps,
  isJavaErrorHandlerType,
  isJavaThreadPoolSizeType,
  isJavaTimeZone,
  JAVA_SETTINGS,
  type JobDefaults,
  JOB_SETTINGS,
  type JobConfiguration,
  type JobOptions,
  misfirePolicyOf,
  NESTJS_SETTINGS,
  NONE,
  type PropTargets,
  resolveJobOptions,
  type Setting,
  type SettingAt,
  type ShardingStrategy,
  strategyBesideJava,
} from '../../domain/index.js';
import {
  type ConfigurationDifference,
  findDifferences,
  hasSameProps,
  propDifference,
} from './configuration-differences.js';
import {
  ConfigurationNodeError,
  isCreated,
  parseConfiguration,
  type StoredConfiguration,
} from './parse-configuration.js';
import { type NamedSetting, POOL_SIZE, poolSizeIn } from './format-configuration.js';

/** The user's own strategies, which the node names by their types. */
export type StrategyLookup = readonly ShardingStrategy[];

type JavaOptions = Pick<JobConfiguration, SettingAt<'java'>>;
/** Props that the registry may set only with permission, and the permissions. */
export interface PropTrust {
  readonly targets: PropTargets;
  readonly allowed: AllowedRegistryTargets;
}

const FOLLOWS_ALL: PropTrust = { targets: {}, allowed: {} };

/** Shared, since a process has thousands of jobs. */
const NO_TYPES: readonly string[] = [];

export interface LaidConfiguration {
  readonly configuration: JobConfiguration;
  readonly differences: readonly ConfigurationDifference[];
  /** Types of listeners at the node's top level, where Java reads them when it starts. */
  readonly javaListenerTypes: readonly string[];
  /** Strategy while the job has a Java peer. */
  readonly javaStrategy: ShardingStrategy;
  /**
   * Type of a strategy that is in force while this process leads, since only its code or defaults name it: the node
   * names none, and other leaders go by theirs. Undefined: nobody's code names it, or the node names one.
   */
  readonly ownStrategy?: string;
}

/**
 * Lays the registry's `config` node over a job's local settings. The node overrides them field by field, and a field
 * that it lacks has Java's default; only a missing `nestjs.` setting keeps its local value, and so does the strategy of
 * a node that Java has not written. `overwrite` always keeps its local value, and so do the props that decide what is
 * run, except for allowed targets.
 * @param stored the node's text
 * @throws {ConfigurationNodeError} if the text is unreadable, or the result breaks a rule of job options
 */
export function layConfiguration(
  local: JobConfiguration,
  stored: string,
  strategies: StrategyLookup = [],
  trust = FOLLOWS_ALL,
): LaidConfiguration {
  return layStored(local, parseConfiguration(stored, local.jobName), strategies, trust);
}

/** @see layConfiguration @param stored content of the node */
export function layStored(
  local: JobConfiguration,
  stored: StoredConfiguration,
  strategies: StrategyLookup = [],
  { targets, allowed } = FOLLOWS_ALL,
): LaidConfiguration {
  const { props, refused } = guardProps(local.props, stored.props, targets, allowed);
  const resolved = resolveLaid(local, { ...stored, props }, strategies);
  const differing = resolved === local ? [] : findDifferences(local, resolved);
  return {
    // Most jobs have the same settings here and in the registry, so one object is kept.
    configuration: differing.length === 0 ? local : resolved,
    differences: [
      // A created job differs from its template on purpose.
      ...(isCreated(stored) ? [] : differing.filter(({ field }) => !isUnchosen(field, local, stored))),
      ...refused.map((name) => {
        return { ...propDifference(name, local.props[name], stored.props[name]), isRefused: true } as const;
      }),
    ],
    javaListenerTypes: stored.jobListenerTypes ?? NO_TYPES,
    javaStrategy: strategyBesideJava(resolved.strategy, namedStrategy(stored) !== undefined),
    ownStrategy: ownStrategy(local, stored),
  };
}

function ownStrategy({ strategy }: JobConfiguration, stored: StoredConfiguration): string | undefined {
  if (isCreated(stored) || isJavas(stored) || namedStrategy(stored) !== undefined) return undefined;
  return strategy.type === JOB_SETTINGS.strategy.default ? undefined : strategy.type;
}

/** True for a setting that the local options leave open, in a node of Java, which does not say it. */
function isUnchosen(field: string, local: JobConfiguration, stored: StoredConfiguration): boolean {
  if (!isJavas(stored)) return false;
  if (field === 'clockChange') return local.clockChange === 'auto';
  const { default: usual } = JOB_SETTINGS.strategy;
  return field === 'strategy' && local.strategy.type === usual && namedStrategy(stored) === undefined;
}

/** True if Java wrote the node: each text of ours has this prop. */
function isJavas({ nestjs }: StoredConfiguration): boolean {
  return nestjs.clockChange === undefined;
}

function namedStrategy({ jobShardingStrategyType, nestjs }: StoredConfiguration): string | undefined {
  return nestjs.strategy ?? (jobShardingStrategyType || undefined);
}

function resolveLaid(
  local: JobConfiguration,
  stored: StoredConfiguration,
  strategies: StrategyLookup,
): JobConfiguration {
  const { jobName } = local;
  if (stored.jobName !== undefined && stored.jobName !== jobName) {
    throw new ConfigurationNodeError(jobName, [`jobName must be "${jobName}", but is "${stored.jobName}"`]);
  }
  const options = layOptions(local, stored);
  if (areResolved(options, local)) return local;
  const { own, defaults } = isCreated(stored) ? apartFromTemplate(options, local) : { own: options };
  try {
    return resolveJobOptions(own, {
      place: `job "${jobName}"`,
      defaults,
      strategies: [local.strategy, ...strategies],
      surplusItemParameters: true,
      idleFailover: true,
    });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationNodeError(jobName, error.problems, { cause: error });
  }
}

/**
 * The options of a created job without those that are its template's. These are its defaults: one that contradicts what
 * the job itself says is left out, and stops it on no instance.
 */
function apartFromTemplate(options: JobOptions, template: JobConfiguration) {
  const shared = COMMON_SETTINGS.filter((name) => options[name] === template[name]);
  const none = Object.fromEntries(shared.map((name) => [name, undefined]));
  return { own: { ...options, ...none }, defaults: byName<JobDefaults>(shared, (name) => options[name]) };
}

/** Java's values for settings that the node lacks. @see ElasticJob, `JobConfigurationPOJO` */
const ABSENT = byName<JavaOptions & Pick<JobConfiguration, 'clockChange'>>(
  [...JAVA_SETTINGS, 'clockChange'],
  (name) => {
    const { absent, default: usual }: Setting = JOB_SETTINGS[name];
    return absent ?? usual;
  },
);

/**
 * Lays the node over the local settings, without checking rules. For a job created from a template, settings that the
 * node lacks come from the template.
 */
export function layOptions(local: JobConfiguration, stored: StoredConfiguration): JobOptions {
  const { nestjs } = stored;
  const saysAll = !isCreated(stored);
  const { jobName: name, ...unsaid } = saysAll ? { ...local, ...ABSENT } : local;
  const java = byName<JavaOptions>(JAVA_SETTINGS, (setting) => stored[setting] ?? unsaid[setting]);
  const saysMisfire = saysAll || (stored.misfire ?? nestjs.misfirePolicy) !== undefined;
  return {
    ...unsaid,
    ...java,
    ...byName<Pick<JobOptions, SettingAt<'nestjs'>>>(NESTJS_SETTINGS, (setting) =>
      said(nestjs[setting], unsaid[setting]),
    ),
    ...layTypes(local, stored),
    name,
    overwrite: local.overwrite,
    props: saysAll ? stored.props : { ...local.props, ...stored.props },
    jobExtraConfigurations: stored.jobExtraConfigurations ?? (saysAll ? undefined : local.jobExtraConfigurations),
    // An operator may have given it a schedule.
    resident: nestjs.resident ?? (local.resident && !java.cron),
    misfirePolicy: saysMisfire ? misfirePolicyOf(java.misfire, nestjs.misfirePolicy) : local.misfirePolicy,
    after: nestjs.after ?? (stored.cron ? [] : local.after),
  };
}

/** The node's value, or else the other one; undefined if the node says that there is none. */
function said<T>(value: T | typeof NONE | undefined, otherwise: T | undefined): T | undefined {
  return value === NONE ? undefined : (value ?? otherwise);
}

/** Types and zones: a name is at top level if Java has it, and among the props otherwise. */
function layTypes(local: JobConfiguration, stored: StoredConfiguration) {
  const { nestjs, jobListenerTypes = [] } = stored;
  const listenerTypes = new Set([...jobListenerTypes, ...(nestjs.jobListenerTypes ?? local.jobListenerTypes)]);
  // The local name applies if only a `nestjs.` setting could name it.
  const isOwn = (name: string, isJava: (name: string) => boolean) => isCreated(stored) || !isJava(name);
  const layName = (setting: NamedSetting, atTop: string | undefined, isJava: (name: string) => boolean) => {
    const own = local[setting];
    return said(nestjs[setting], atTop || (own !== undefined && isOwn(own, isJava) ? own : undefined));
  };
  return {
    strategy: namedStrategy(stored) ?? unnamedStrategy(local, stored),
    timeZone: layName('timeZone', stored.timeZone, isJavaTimeZone),
    jobErrorHandlerType: layName('jobErrorHandlerType', stored.jobErrorHandlerType, isJavaErrorHandlerType),
    jobExecutorThreadPoolSizeProviderType: layName(POOL_SIZE, poolSizeIn(stored), isJavaThreadPoolSizeType),
    // In the local order, so that the two places make no difference.
    jobListenerTypes: [...local.jobListenerTypes.filter((type) => listenerTypes.delete(type)), ...listenerTypes],
  };
}

/** The strategy where the node names none: the local one, or Java's in a node of Java. */
function unnamedStrategy({ strategy }: JobConfiguration, stored: StoredConfiguration): ShardingStrategy {
  return isCreated(stored) || !isJavas(stored) ? strategy : strategyBesideJava(strategy, false);
}

/** True if the options equal the settings, which are resolved already. */
function areResolved(options: JobOptions, local: JobConfiguration): boolean {
  const { name, props = {}, strategy = JOB_SETTINGS.strategy.default, ...others } = options;
  const type = typeof strategy === 'string' ? strategy : strategy === local.strategy && local.strategy.type;
  return (
    name === local.jobName &&
    type === local.strategy.type &&
    hasSameProps(local.props, props) &&
    Object.entries(others).every(([field, value]) => isEqual(value, Reflect.get(local, field)))
  );
}

function isEqual(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other;
  return one.length === other.length && one.every((element, index) => element === other[index]);
}
