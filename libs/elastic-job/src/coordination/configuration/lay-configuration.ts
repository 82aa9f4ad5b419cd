import {
  type AllowedRegistryTargets,
  ConfigurationError,
  guardProps,
  HiddenText,
  isJavaErrorHandlerType,
  isJavaStrategyType,
  isJavaThreadPoolSizeType,
  isJavaTimeZone,
  type JobConfiguration,
  type JobOptions,
  misfirePolicyOf,
  type PropTargets,
  resolveJobOptions,
  type ShardingStrategy,
} from '../../domain/index.js';
import { ConfigurationNodeError } from './configuration.errors.js';
import { NONE } from './nestjs-props.js';
import { isCreated, parseConfiguration, type StoredConfiguration } from './parse-configuration.js';
import { poolSizeIn } from './place-types.js';

/** The user's own strategies, which the node names by their type. */
export type StrategyLookup = readonly ShardingStrategy[];

type Comparable = string | number | boolean | undefined;
type Comparables = Readonly<Record<string, Comparable>>;

const PROPS = 'props.';

/** A setting in which the registry's node differs from the local options. A strategy is named by its type. */
export interface ConfigurationDifference {
  /** A field of `JobConfiguration`, or `props.` and the name of one of the props. */
  readonly field: string;
  readonly local: Comparable;
  readonly stored: Comparable;
  /** The registry may not decide it: the local value stays in force. */
  readonly isRefused?: true;
}

/** The props that the registry decides only where that is allowed, and what is allowed. */
export interface PropTrust {
  readonly targets: PropTargets;
  readonly allowed: AllowedRegistryTargets;
}

const FOLLOWS_ALL: PropTrust = { targets: {}, allowed: {} };

export interface LaidConfiguration {
  readonly configuration: JobConfiguration;
  readonly differences: readonly ConfigurationDifference[];
}

/**
 * Lays the registry's `config` node over a job's local settings. The node wins field by field, and what it does not
 * mention is what Java takes it for; only a `nestjs.` setting that it lacks is the local one. `overwrite` is always the
 * local one, and so are the props that say what is run, but for targets that are allowed.
 * @param stored the node's text
 * @throws {ConfigurationNodeError} if the text cannot be read, or the result breaks a rule of job options.
 */
export function layConfiguration(
  local: JobConfiguration,
  stored: string,
  strategies: StrategyLookup = [],
  trust = FOLLOWS_ALL,
): LaidConfiguration {
  return layStored(local, parseConfiguration(stored, local.jobName), strategies, trust);
}

/** @see layConfiguration @param stored what the node says */
export function layStored(
  local: JobConfiguration,
  stored: StoredConfiguration,
  strategies: StrategyLookup = [],
  { targets, allowed } = FOLLOWS_ALL,
): LaidConfiguration {
  const { props, refused } = guardProps(local.props, stored.props, targets, allowed);
  const configuration = resolveLaid(local, { ...stored, props }, strategies);
  return {
    configuration,
    differences: [
      // Where a created job differs from its template it is meant to.
      ...(isCreated(stored) ? [] : findDifferences(local, configuration)),
      ...refused.map((name) => {
        const field = PROPS + name;
        const [ours, theirs] = [shown(field, local.props[name]), shown(field, stored.props[name])];
        return { field, local: ours, stored: theirs, isRefused: true } as const;
      }),
    ],
  };
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
  try {
    return resolveJobOptions(layOptions(local, stored), {
      place: `job "${jobName}"`,
      strategies: [local.strategy, ...strategies],
      surplusItemParameters: true,
      idleFailover: true,
    });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationNodeError(jobName, error.problems, { cause: error });
  }
}

/** What Java takes a setting for that the node does not mention. @see ElasticJob, `JobConfigurationPOJO` */
const ABSENT = {
  cron: undefined,
  shardingTotalCount: 0,
  shardingItemParameters: '',
  jobParameter: '',
  failover: false,
  misfire: false,
  monitorExecution: false,
  disabled: false,
  description: '',
  maxTimeDiffSeconds: -1,
  reconcileIntervalMinutes: 0,
  staticSharding: false,
  label: undefined,
  jobExtraConfigurations: undefined,
  props: {},
  // Ours always writes it, so a node without it came from Java, whose instances fire by Quartz's rule.
  clockChange: 'quartz',
} as const satisfies Partial<JobConfiguration>;

/**
 * The node over the local settings, not judged by any rule yet. What the node of a job that was created from a template
 * does not mention is as the template says.
 */
export function layOptions(local: JobConfiguration, stored: StoredConfiguration): JobOptions {
  const { nestjs } = stored;
  const absent = isCreated(stored) ? local : ABSENT;
  const cron = stored.cron ?? absent.cron;
  const misfire = stored.misfire ?? absent.misfire;
  const saysMisfire = !isCreated(stored) || (stored.misfire ?? nestjs.misfirePolicy) !== undefined;
  return {
    name: local.jobName,
    cron,
    shardingTotalCount: stored.shardingTotalCount ?? absent.shardingTotalCount,
    shardingItemParameters: stored.shardingItemParameters ?? absent.shardingItemParameters,
    jobParameter: stored.jobParameter ?? absent.jobParameter,
    failover: stored.failover ?? absent.failover,
    misfire,
    monitorExecution: stored.monitorExecution ?? absent.monitorExecution,
    disabled: stored.disabled ?? absent.disabled,
    overwrite: local.overwrite,
    description: stored.description ?? absent.description,
    maxTimeDiffSeconds: stored.maxTimeDiffSeconds ?? absent.maxTimeDiffSeconds,
    reconcileIntervalMinutes: stored.reconcileIntervalMinutes ?? absent.reconcileIntervalMinutes,
    staticSharding: stored.staticSharding ?? absent.staticSharding,
    label: stored.label ?? absent.label,
    props: { ...absent.props, ...stored.props },
    strategy: nestjs.strategy ?? (stored.jobShardingStrategyType || localOwnStrategy(local, stored)),
    timeZone: said(nestjs.timeZone, stored.timeZone || localOwn(local.timeZone, isJavaTimeZone, stored)),
    ...layTypes(local, stored),
    jobExtraConfigurations: stored.jobExtraConfigurations ?? absent.jobExtraConfigurations,
    clockChange: nestjs.clockChange ?? absent.clockChange,
    serverRetentionMinutes: nestjs.serverRetentionMinutes ?? local.serverRetentionMinutes,
    shardingTimeoutMs: nestjs.shardingTimeoutMs ?? local.shardingTimeoutMs,
    timeoutMs: said(nestjs.timeoutMs, local.timeoutMs),
    concurrency: said(nestjs.concurrency, local.concurrency),
    onHung: nestjs.onHung ?? local.onHung,
    shutdownGraceMs: nestjs.shutdownGraceMs ?? local.shutdownGraceMs,
    failoverQueueLimit: nestjs.failoverQueueLimit ?? local.failoverQueueLimit,
    maxExecutorFailovers: nestjs.maxExecutorFailovers ?? local.maxExecutorFailovers,
    // An operator may have given it a schedule.
    resident: nestjs.resident ?? (local.resident && !cron),
    misfirePolicy: saysMisfire ? misfirePolicyOf(misfire, nestjs.misfirePolicy) : local.misfirePolicy,
    misfireLimit: nestjs.misfireLimit ?? local.misfireLimit,
    maxAttempts: nestjs.maxAttempts ?? local.maxAttempts,
    retryDelayMs: nestjs.retryDelayMs ?? local.retryDelayMs,
    retryFactor: nestjs.retryFactor ?? local.retryFactor,
    retryMaxDelayMs: nestjs.retryMaxDelayMs ?? local.retryMaxDelayMs,
    retryJitter: nestjs.retryJitter ?? local.retryJitter,
    isolation: local.isolation,
    workerModule: local.workerModule,
    workerExport: local.workerExport,
    after: namesIn(nestjs.after) ?? (stored.cron ? [] : local.after),
  };
}

/** What the node says, or else the other; undefined if it says that there is none. */
function said<T>(value: T | typeof NONE | undefined, otherwise: T | undefined): T | undefined {
  return value === NONE ? undefined : (value ?? otherwise);
}

/** @returns undefined if the node does not mention any */
export function namesIn(text: string | undefined): readonly string[] | undefined {
  return text?.split(',').filter((name) => name !== '');
}

function layTypes(local: JobConfiguration, stored: StoredConfiguration) {
  const { nestjs, jobListenerTypes = [] } = stored;
  const { jobErrorHandlerType: errorHandler, jobExecutorThreadPoolSizeProviderType: poolSize } = local;
  return {
    jobErrorHandlerType: said(
      nestjs.jobErrorHandlerType,
      stored.jobErrorHandlerType || localOwn(errorHandler, isJavaErrorHandlerType, stored),
    ),
    jobExecutorThreadPoolSizeProviderType: said(
      nestjs.jobExecutorThreadPoolSizeProviderType,
      poolSizeIn(stored) || localOwn(poolSize, isJavaThreadPoolSizeType, stored),
    ),
    jobListenerTypes: [
      ...new Set([...jobListenerTypes, ...(namesIn(nestjs.jobListenerTypes) ?? local.jobListenerTypes)]),
    ],
  };
}

/** The local strategy if only a `nestjs.` setting could name it. */
function localOwnStrategy({ strategy }: JobConfiguration, stored: StoredConfiguration): ShardingStrategy | undefined {
  return isCreated(stored) || !isJavaStrategyType(strategy.type) ? strategy : undefined;
}

/** The local name if only a `nestjs.` setting could hold it. */
function localOwn(
  name: string | undefined,
  isJava: (name: string) => boolean,
  stored: StoredConfiguration,
): string | undefined {
  return name === undefined || (isJava(name) && !isCreated(stored)) ? undefined : name;
}

function findDifferences(local: JobConfiguration, inForce: JobConfiguration): ConfigurationDifference[] {
  const { props: localProps, ...localSettings } = local;
  const { props, ...settings } = inForce;
  return [
    ...differencesOf(comparables(localSettings), comparables(settings)),
    // Each of the props is a field of its own.
    ...differencesOf(localProps, props, PROPS),
  ];
}

function differencesOf(ours: Comparables, theirs: Comparables, prefix = ''): ConfigurationDifference[] {
  const names = Object.keys(theirs).filter((name) =>
    Object.hasOwn(ours, name) ? ours[name] !== theirs[name] : theirs[name] !== undefined,
  );
  for (const name of Object.keys(ours)) if (!Object.hasOwn(theirs, name) && ours[name] !== undefined) names.push(name);
  return names.map((name) => {
    const field = prefix + name;
    return { field, local: shown(field, ours[name]), stored: shown(field, theirs[name]) };
  });
}

function comparables(settings: Omit<JobConfiguration, 'props'>): Comparables {
  return Object.fromEntries(Object.entries(settings).map(([field, value]) => [field, comparable(value)]));
}

function comparable(value: Exclude<JobConfiguration[keyof JobConfiguration], JobConfiguration['props']>): Comparable {
  if (typeof value !== 'object') return value;
  if (value instanceof HiddenText) return value.reveal().trim();
  return 'type' in value ? value.type : value.join(', ');
}

/** Passwords of mail servers and databases are among these: that they differ is told, and not how. */
function shown(field: string, value: Comparable): Comparable {
  const isSecret = field.startsWith(PROPS) || field === 'jobExtraConfigurations';
  return isSecret && value !== undefined ? 'hidden' : value;
}
