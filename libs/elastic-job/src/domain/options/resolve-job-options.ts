import { ConfigurationError } from '../errors.js';
import { findShardingStrategy, isBuiltInStrategyType, type ShardingStrategy } from '../sharding/index.js';
import { messageOf, readable } from '../thrown.js';
import { findContradictions } from './contradictions.js';
import { CRON_DIALECTS, type CronDialect, readCron } from './cron-dialect.js';
import { assertOptionsObject } from './given-values.js';
import { hiddenProps, HiddenText } from './hidden.js';
import type { JobConfiguration } from './job-configuration.js';
import { commonNames, overDefaults, withDefaults } from './job-defaults.js';
import type { JobDefaults, JobOptions } from './job-options.js';
import { type CompleteOptions, JOB_SETTINGS, SETTING_NAMES } from './job-settings.js';
import { flag, oneOf, rule, show, text } from './option-rules.js';
import { byName, type OptionRow, OptionTable } from './option-table.js';

const TABLE = new OptionTable(JOB_SETTINGS, 'a job');
const NOT_KEPT = ['name', 'className', 'cronDialect'] as const;
type KeptName = Exclude<keyof CompleteOptions, (typeof NOT_KEPT)[number]>;
const CONFIGURATION_NAMES = [
  'jobName',
  ...SETTING_NAMES.filter((name): name is KeptName => !NOT_KEPT.some((other) => other === name)),
] as const;

/** Source of the options. */
export interface JobOptionsSource {
  /** Name of the source in errors: `job "settle-orders" (OrderJobs.settle)`. */
  readonly place: string;
  /** The user's own strategies, which options may name by their type. @default none */
  readonly strategies?: readonly ShardingStrategy[];
  /** The dialect of options that name none. @default 'quartz' */
  readonly cronDialect?: CronDialect;
  /** Values of settings that the options leave open. One that contradicts the options is left out. @default none */
  readonly defaults?: JobDefaults;
  /** Accepts item parameters beyond the total count and leaves them unused, as Java does. @default false */
  readonly surplusItemParameters?: boolean;
  /** Accepts failover without `monitorExecution` and turns it off, as Java does. @default false */
  readonly idleFailover?: boolean;
  /** Faults that the caller has found, which are reported with the others. @default none */
  readonly problems?: readonly string[];
}

const SOURCE_TABLE = new OptionTable(
  {
    place: { required: true, rule: text() },
    strategies: { rule: rule('a list of strategies', Array.isArray) },
    cronDialect: { rule: oneOf(CRON_DIALECTS) },
    defaults: { rule: commonNames() },
    surplusItemParameters: { rule: flag() },
    idleFailover: { rule: flag() },
    problems: { rule: rule('a list of texts', Array.isArray) },
  } satisfies Readonly<Record<keyof JobOptionsSource, OptionRow>>,
  'the source',
);

/**
 * A job's configuration: the options with every default applied, validated and frozen. Undefined and null count as not
 * given.
 * @throws {ConfigurationError} that names every wrong option with its value and what would be right.
 */
export function resolveJobOptions(options: JobOptions, source: JobOptionsSource): JobConfiguration {
  SOURCE_TABLE.checked('resolveJobOptions', source);
  assertOptionsObject(source.place, options);
  const cronDialect = options.cronDialect ?? source.cronDialect;
  const { cron, cronFault } = readCron(options.cron, options.cronDialect, source.cronDialect);
  const settings = withDefaults(overDefaults({ ...options, cron, cronDialect }, source));
  const resolved = resolveStrategy(settings.strategy, source.strategies ?? []);
  const problems = [
    ...(source.problems ?? []),
    ...TABLE.findUnknown(options),
    ...cronFault,
    ...TABLE.findBroken(settings),
    ...findContradictions(settings, source),
  ];
  if (resolved.kind === 'refused')
    throw new ConfigurationError(source.place, [...problems, `strategy${resolved.problem}`], resolved.options);
  if (problems.length > 0) throw new ConfigurationError(source.place, problems);

  const values = {
    ...settings,
    jobName: settings.name,
    strategy: resolved.strategy,
    // Copying thousands of them takes longer than reading them.
    props: Object.isFrozen(settings.props) ? settings.props : hiddenProps(settings.props),
    jobListenerTypes: Object.freeze([...settings.jobListenerTypes]),
    after: Object.freeze([...settings.after]),
    jobExtraConfigurations: hidden(settings.jobExtraConfigurations),
  };
  // A spread would make a hidden class per job, which takes three times as much memory as the values.
  return Object.freeze(byName<JobConfiguration>(CONFIGURATION_NAMES, (name) => values[name]));
}

function hidden(given: string | HiddenText | undefined): HiddenText | undefined {
  return typeof given === 'string' ? new HiddenText(given) : given;
}

type GivenStrategy = NonNullable<JobOptions['strategy']>;

/** The strategy that a job's options mean, or the fault of the option, after its name, with the error behind it. */
type ResolvedStrategy =
  | { readonly kind: 'resolved'; readonly strategy: ShardingStrategy }
  | { readonly kind: 'refused'; readonly problem: string; readonly options?: ErrorOptions };

/** @param own the user's strategies, which options may name by their type */
export function resolveStrategy(given: GivenStrategy, own: readonly ShardingStrategy[]): ResolvedStrategy {
  try {
    const strategy = toStrategy(given, own);
    const fault = findStrategyFault(strategy);
    if (fault === undefined) return { kind: 'resolved', strategy };
    return { kind: 'refused', problem: ` ${fault}, but is ${show(given)}` };
  } catch (error) {
    const cause = readable(error);
    return { kind: 'refused', problem: `: ${messageOf(cause)}`, options: { cause } };
  }
}

function toStrategy(given: GivenStrategy, own: readonly ShardingStrategy[]): ShardingStrategy {
  if (typeof given === 'string') return findShardingStrategy(given, own);
  return typeof given === 'function' ? new given() : given;
}

function findStrategyFault(strategy: Partial<ShardingStrategy>): string | undefined {
  const { type, shard } = strategy;
  if (typeof type !== 'string' || type === '' || typeof shard !== 'function') {
    return 'must be the type of a strategy, or have a type (a text) and shard (a function)';
  }
  // The registry holds only the type. Under a built-in one, Java instances would shard differently.
  if (isBuiltInStrategyType(type) && findShardingStrategy(type, []) !== strategy) {
    return `must have a type of its own instead of ElasticJob's "${type}"`;
  }
  return undefined;
}
