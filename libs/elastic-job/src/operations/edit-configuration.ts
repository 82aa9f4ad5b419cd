import {
  formatConfiguration,
  layConfiguration,
  parseConfiguration,
  type StrategyLookup,
} from '../coordination/index.js';
import {
  isBuiltInStrategyType,
  type JobConfiguration,
  type JobName,
  type JobOptions,
  resolveJobOptions,
  type ShardingStrategy,
} from '../domain/index.js';

/** What a job's `config` node says, with what an absent field means to Java. A strategy is named by its type. */
export type StoredJobConfiguration = Omit<JobConfiguration, 'strategy' | 'overwrite'> & { readonly strategy: string };

/** What an operator changes. Undefined: as it is; null: back to the default. */
export type JobConfigurationChanges = {
  readonly [Option in Exclude<keyof JobOptions, 'name' | 'overwrite' | 'strategy'>]?: JobOptions[Option] | null;
} & { readonly strategy?: string | null };

/** Only what the node says matters here: this stands where a process that runs the job has its own options. */
const UNSAID = { cron: '0 0 0 * * ?', shardingTotalCount: 1 };

/**
 * Reads a node's text without knowing the job's local options.
 * @throws {ConfigurationNodeError} if it cannot be read, or breaks a rule of job options
 */
export function readConfiguration(jobName: JobName, text: string, strategies: StrategyLookup = []): JobConfiguration {
  const local = resolveJobOptions({ name: jobName, ...UNSAID }, { place: placeOf(jobName) });
  return layConfiguration(local, text, [...strategies, ...namedOnly(jobName, text, strategies)]).configuration;
}

/**
 * Changes a node's text.
 * @throws {ConfigurationNodeError} if the text cannot be read
 * @throws {ConfigurationError} that names every wrong change with its value and what would be right
 */
export function editConfiguration(
  jobName: JobName,
  text: string,
  changes: JobConfigurationChanges,
  strategies: StrategyLookup = [],
): { readonly configuration: JobConfiguration; readonly text: string } {
  const { jobName: name, ...current } = readConfiguration(jobName, text, strategies);
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const options: JobOptions = { ...current, name, ...Object.fromEntries(given) };
  const configuration = resolveJobOptions(options, {
    place: placeOf(jobName),
    strategies: [current.strategy, ...strategies],
  });
  return { configuration, text: formatConfiguration(configuration) };
}

export function describeConfiguration(configuration: JobConfiguration): StoredJobConfiguration {
  const { strategy, overwrite: _overwrite, ...rest } = configuration;
  return Object.freeze({ ...rest, strategy: strategy.type });
}

/** A strategy that another process has: it can be named here, and kept, but not asked. */
function namedOnly(jobName: JobName, text: string, strategies: StrategyLookup): ShardingStrategy[] {
  const type = parseConfiguration(text, jobName).nestjs.strategy;
  if (type === undefined || isBuiltInStrategyType(type) || strategies.some((known) => known.type === type)) return [];
  const shard = () => {
    throw new Error(`Strategy "${type}" is not known in this process.`);
  };
  return [{ type, shard }];
}

function placeOf(jobName: JobName): string {
  return `job "${jobName}"`;
}
