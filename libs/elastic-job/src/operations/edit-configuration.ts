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
  byName,
  type CodeOption,
  type CronDialect,
  dialectOfEdit,
  followMisfire,
  isBuiltInStrategyType,
  isFixed,
  type JobConfiguration,
  type JobName,
  type JobOptions,
  namesOf,
  resolveJobOptions,
  type ShardingStrategy,
  switchesFailover,
  takeSettings,
  type TemplateName,
} from '../domain/index.js';

const MISFIRE: readonly string[] = ['misfire', 'misfirePolicy'];

/**
 * A job's settings as its `config` node has them, with Java's meaning of absent fields. A strategy is named by its
 * type.
 */
export type StoredJobConfiguration = Omit<JobConfiguration, 'strategy' | 'overwrite' | CodeOption> & {
  readonly strategy: string;
  /** Version of the settings: that of the node, which each edit raises by 1. */
  readonly version: number;
};

/** Changes that an operator makes. Undefined: no change; null: back to the default. */
export type JobConfigurationChanges = {
  readonly [Option in Exclude<keyof JobOptions, 'name' | 'overwrite' | 'strategy' | CodeOption>]?:
    JobOptions[Option] | null;
} & { readonly strategy?: string | null };

/** A node as an edit makes it. */
interface EditedConfiguration {
  readonly configuration: JobConfiguration;
  readonly former: JobOptions;
  /** The template of a created job. */
  readonly template: TemplateName | undefined;
  readonly text: string;
}

/** Strategies that an edit may name, and the dialect of its `cron`. */
interface EditSource {
  readonly strategies?: StrategyLookup;
  /** Quartz's dialect is always accepted, since that is what is read. @default 'quartz' */
  readonly cronDialect?: CronDialect;
}

/**
 * Reads a node's text without knowing the job's local options.
 * @throws {ConfigurationNodeError} if it cannot be read, or breaks a rule of job options
 */
export function readConfiguration(
  jobName: JobName,
  text: string,
  strategies: StrategyLookup = [],
  unnamed?: ShardingStrategy,
): JobConfiguration {
  const stored = parseConfiguration(text, jobName);
  const base = unsaid(jobName, stored);
  const local = unnamed === undefined ? base : { ...base, strategy: unnamed };
  return layStored(local, stored, withNamed(stored, strategies)).configuration;
}

/**
 * Changes a node's text. Rules apply to the result alone, so that a node that breaks one can be corrected.
 * @throws {ConfigurationNodeError} if the text cannot be read
 * @throws {ConfigurationError} that names every wrong setting with its value and what would be right, and everything
 * that is no setting
 */
export function editConfiguration(
  jobName: JobName,
  text: string,
  changes: JobConfigurationChanges,
  { strategies = [], cronDialect }: EditSource = {},
): EditedConfiguration {
  const place = placeOf(jobName);
  const { settings, problems } = takeSettings(place, changes);
  const stored = parseConfiguration(text, jobName);
  const current = layOptions(unsaid(jobName, stored), stored);
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  const configuration = resolveJobOptions(
    { ...current, ...followMisfire(current, settings), ...Object.fromEntries(given) },
    {
      place,
      cronDialect: dialectOfEdit(settings.cron, cronDialect),
      problems,
      strategies: withNamed(stored, strategies),
      // A smaller total leaves some parameters unused, as in Java; an edit of the parameters themselves is checked.
      surplusItemParameters: settings.shardingItemParameters === undefined,
      // Java may have written both; they may stay while other settings are changed.
      idleFailover: !switchesFailover(settings),
    },
  );
  const written = { ...configuration, overwrite: stored.overwrite ?? false };
  // For a job that was created from a template, the default is the template's value.
  const [unset, set] = isCreated(stored) ? partition(given, ([, value]) => value === null) : [[], given];
  const keeping = without(stored, changedNames(unset));
  const edited = formatConfiguration(written, keeping, changedNames(set));
  return { configuration, former: current, template: stored.nestjs.template, text: edited };
}

export function describeConfiguration(configuration: JobConfiguration, version: number): StoredJobConfiguration {
  const stored = { ...configuration, strategy: configuration.strategy.type, version };
  const names = namesOf(stored).filter((name): name is keyof StoredJobConfiguration => !isFixed(name));
  return Object.freeze(byName<StoredJobConfiguration>(names, (name) => stored[name]));
}

/**
 * Base for the node's settings, in place of the own options of a process that runs the job. Only the node matters here.
 */
function unsaid(jobName: JobName, stored: StoredConfiguration): JobConfiguration {
  // The template's schedule is not known here.
  const cron = isCreated(stored) ? undefined : '0 0 0 * * ?';
  return resolveJobOptions({ name: jobName, cron, shardingTotalCount: 1 }, { place: placeOf(jobName) });
}

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

/**
 * Names of the changed options. `misfire` and `misfirePolicy` are written together, since each gives the other its
 * meaning.
 */
function changedNames(given: readonly (readonly [string, unknown])[]): readonly string[] {
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

/** Adds the node's strategy if only the job's own processes have it: it can be named and kept here, but not used. */
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
