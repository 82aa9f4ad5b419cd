import {
  ConfigurationError,
  isJavaStrategyType,
  type JobConfiguration,
  type JobOptions,
  resolveJobOptions,
  type ShardingStrategy,
} from '../../domain/index.js';
import { ConfigurationNodeError } from './configuration.errors.js';
import { isJavaTimeZone } from './nestjs-props.js';
import { parseConfiguration, type StoredConfiguration } from './parse-configuration.js';

/** The user's own strategies, which the node names by their type. */
export type StrategyLookup = readonly ShardingStrategy[];

/** A setting in which the registry's node overrules the local options. A strategy is named by its type. */
export interface ConfigurationDifference {
  /** A field of `JobConfiguration`. */
  readonly field: string;
  readonly local: string | number | boolean | undefined;
  /** The value in force. */
  readonly stored: string | number | boolean | undefined;
}

export interface LaidConfiguration {
  readonly configuration: JobConfiguration;
  readonly differences: readonly ConfigurationDifference[];
}

/**
 * Lays the registry's `config` node over a job's local settings. The node wins field by field, and what it does not mention
 * is what Java takes it for; only a `nestjs.` setting that it lacks is the local one. `overwrite` is always the local one.
 * @param stored the node's text
 * @throws {ConfigurationNodeError} if the text cannot be read, or the result breaks a rule of job options.
 */
export function layConfiguration(
  local: JobConfiguration,
  stored: string,
  strategies: StrategyLookup = [],
): LaidConfiguration {
  const configuration = resolveLaid(local, parseConfiguration(stored, local.jobName), strategies);
  return { configuration, differences: findDifferences(local, configuration) };
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
    });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationNodeError(jobName, error.problems, { cause: error });
  }
}

/** The node over the local settings, not judged by any rule yet. @see ElasticJob, `JobConfigurationPOJO`, for what an absent field means. */
export function layOptions(local: JobConfiguration, stored: StoredConfiguration): JobOptions {
  const { nestjs } = stored;
  return {
    name: local.jobName,
    cron: stored.cron,
    shardingTotalCount: stored.shardingTotalCount ?? 0,
    shardingItemParameters: stored.shardingItemParameters ?? '',
    jobParameter: stored.jobParameter ?? '',
    failover: stored.failover ?? false,
    misfire: stored.misfire ?? false,
    monitorExecution: stored.monitorExecution ?? false,
    disabled: stored.disabled ?? false,
    overwrite: local.overwrite,
    description: stored.description ?? '',
    maxTimeDiffSeconds: stored.maxTimeDiffSeconds ?? -1,
    reconcileIntervalMinutes: stored.reconcileIntervalMinutes ?? 0,
    strategy: nestjs.strategy ?? (stored.jobShardingStrategyType || localOwnStrategy(local)),
    timeZone: nestjs.timeZone ?? (stored.timeZone || localOwnTimeZone(local)),
    // Ours always writes it, so a node without it came from Java, whose instances fire by Quartz's rule.
    clockChange: nestjs.clockChange ?? 'quartz',
    staticSharding: stored.staticSharding ?? false,
    serverRetentionMinutes: nestjs.serverRetentionMinutes ?? local.serverRetentionMinutes,
    shardingTimeoutMs: nestjs.shardingTimeoutMs ?? local.shardingTimeoutMs,
    timeoutMs: nestjs.timeoutMs ?? local.timeoutMs,
    concurrency: nestjs.concurrency ?? local.concurrency,
  };
}

/** The local strategy if only a `nestjs.` setting could name it. */
function localOwnStrategy({ strategy }: JobConfiguration): ShardingStrategy | undefined {
  return isJavaStrategyType(strategy.type) ? undefined : strategy;
}

/** The local zone if only a `nestjs.` setting could name it. */
function localOwnTimeZone({ timeZone }: JobConfiguration): string | undefined {
  return timeZone === undefined || isJavaTimeZone(timeZone) ? undefined : timeZone;
}

function findDifferences(local: JobConfiguration, inForce: JobConfiguration): ConfigurationDifference[] {
  const stored = new Map(Object.entries(inForce));
  return Object.entries(local)
    .map(([field, value]) => ({ field, local: comparable(value), stored: comparable(stored.get(field)) }))
    .filter((difference) => difference.local !== difference.stored);
}

function comparable(value: JobConfiguration[keyof JobConfiguration]): ConfigurationDifference['local'] {
  return typeof value === 'object' ? value.type : value;
}
