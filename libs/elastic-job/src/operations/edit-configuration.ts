import {
  formatConfiguration,
  isCreated,
  layOptions,
  layStored,
  parseConfiguration,
  type StoredConfiguration,
  type StrategyLookup,
} from '../coordination/index.js';
import {
  type CodeOption,
  type CronDialect,
  dialectOfEdit,
  followMisfire,
  isBuiltInStrategyType,
  type JobConfiguration,
  type JobName,
  type JobOptions,
  resolveJobOptions,
  type ShardingStrategy,
  switchesFailover,
} from '../domain/index.js';

const MISFIRE: readonly string[] = ['misfire', 'misfirePolicy'];

/** What a job's `config` node says, with what an absent field means to Java. A strategy is named by its type. */
export type StoredJobConfiguration = Omit<JobConfiguration, 'strategy' | 'overwrite' | CodeOption> & {
  readonly strategy: string;
};

/** What an operator changes. Undefined: as it is; null: back to the default. */
export type JobConfigurationChanges = {
  readonly [Option in Exclude<keyof JobOptions, 'name' | 'overwrite' | 'strategy' | CodeOption>]?:
    JobOptions[Option] | null;
} & { readonly strategy?: string | null };

/** What an edit may name, and what its `cron` is read by. */
interface EditSource {
  readonly strategies?: StrategyLookup;
  /** Quartz's, as it is read, is always taken. @default 'quartz' */
  readonly cronDialect?: CronDialect;
}

/**
 * Reads a node's text without knowing the job's local options.
 * @throws {ConfigurationNodeError} if it cannot be read, or breaks a rule of job options
 */
export function readConfiguration(jobName: JobName, text: string, strategies: StrategyLookup = []): JobConfiguration {
  const stored = parseConfiguration(text, jobName);
  return layStored(unsaid(jobName, stored), stored, withNamed(stored, strategies)).configuration;
}

/**
 * Changes a node's text. Rules are asked of the result alone, so that a node that breaks one can be corrected.
 * @throws {ConfigurationNodeError} if the text cannot be read
 * @throws {ConfigurationError} that names every wrong setting with its value and what would be right
 */
export function editConfiguration(
  jobName: JobName,
  text: string,
  changes: JobConfigurationChanges,
  { strategies = [], cronDialect }: EditSource = {},
): { readonly configuration: JobConfiguration; readonly former: JobOptions; readonly text: string } {
  const stored = parseConfiguration(text, jobName);
  const current = layOptions(unsaid(jobName, stored), stored);
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const dialect = dialectOfEdit(changes.cron, cronDialect);
  const configuration = resolveJobOptions(
    { ...current, ...followMisfire(current, changes), ...Object.fromEntries(given), cronDialect: dialect },
    {
      place: placeOf(jobName),
      strategies: withNamed(stored, strategies),
      // A smaller total leaves some unused, as in Java; who writes them now is told of a wrong one.
      surplusItemParameters: changes.shardingItemParameters === undefined,
      // Java may have written both; it may stay while other settings are changed.
      idleFailover: !switchesFailover(changes),
    },
  );
  const written = { ...configuration, overwrite: stored.overwrite ?? false };
  // Of a job that was created from a template, what goes back to the default is as the template says.
  const [unset, set] = isCreated(stored) ? partition(given, ([, value]) => value === null) : [[], given];
  const keeping = without(stored, namesOf(unset));
  return { configuration, former: current, text: formatConfiguration(written, keeping, namesOf(set)) };
}

export function describeConfiguration(configuration: JobConfiguration): StoredJobConfiguration {
  const { strategy, overwrite: _1, isolation: _2, workerModule: _3, workerExport: _4, ...rest } = configuration;
  return Object.freeze({ ...rest, strategy: strategy.type });
}

/** Only what the node says matters here: this stands where a process that runs the job has its own options. */
function unsaid(jobName: JobName, stored: StoredConfiguration): JobConfiguration {
  // Whether the template has a schedule is not known here.
  const cron = isCreated(stored) ? undefined : '0 0 0 * * ?';
  return resolveJobOptions({ name: jobName, cron, shardingTotalCount: 1 }, { place: placeOf(jobName) });
}

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

/** The names of options. `misfire` and `misfirePolicy` are written together, since one says what the other means. */
function namesOf(given: readonly (readonly [string, unknown])[]): readonly string[] {
  const names = given.map(([option]) => option);
  return names.some((name) => MISFIRE.includes(name)) ? [...names, ...MISFIRE] : names;
}

function without(stored: StoredConfiguration, options: readonly string[]): StoredConfiguration {
  const drop = <T extends object>(fields: T): T => {
    const dropped = options.filter((option) => Object.hasOwn(fields, option)).map((option) => [option, undefined]);
    return { ...fields, ...Object.fromEntries(dropped) };
  };
  return options.length === 0 ? stored : { ...drop(stored), nestjs: drop(stored.nestjs) };
}

/** Adds the node's strategy, if only the job's own processes have it: it can be named here, and kept, but not asked. */
function withNamed({ nestjs }: StoredConfiguration, strategies: StrategyLookup): StrategyLookup {
  const type = nestjs.strategy;
  const isKnown = isBuiltInStrategyType(type ?? '') || strategies.some((known) => known.type === type);
  if (type === undefined || isKnown) return strategies;
  const shard: ShardingStrategy['shard'] = () => {
    throw new Error(`Strategy "${type}" is not known in this process.`);
  };
  return [...strategies, { type, shard }];
}

function placeOf(jobName: JobName): string {
  return `job "${jobName}"`;
}
