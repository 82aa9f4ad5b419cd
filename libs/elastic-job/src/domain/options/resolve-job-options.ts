import { ConfigurationError } from '../errors.js';
import type { ShardingStrategy } from '../sharding/index.js';
import { messageOf } from '../thrown.js';
import { unixToQuartz } from '../schedule/index.js';
import { CRON_DIALECTS, type CronDialect } from './cron-dialect.js';
import { hiddenProps } from './hidden-props.js';
import { HiddenText } from './hidden-text.js';
import { hasIdleFailover, type JobConfiguration } from './job-configuration.js';
import type { JobOptions } from './job-options.js';
import { JOB_SETTINGS, type Setting, SETTING_NAMES, type CompleteOptions } from './job-settings.js';
import { findMisfireFault, resolveMisfire } from './misfire-policy.js';
import { findFault, flag, oneOf, rule, show, text } from './option-rules.js';
import { byName, type OptionRow, OptionTable } from './option-table.js';
import { assertOptionsObject } from './options-object.js';
import { resolveStrategy } from './resolve-strategy.js';
import { parseShardingItemParameters } from './sharding-item-parameters.js';

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
  const { cron, cronFault } = readCron(options.cron, cronDialect);
  const settings = withDefaults({ ...options, cron, cronDialect });
  const resolved = resolveStrategy(settings.strategy, source.strategies ?? []);
  const problems = [
    ...(source.problems ?? []),
    ...TABLE.findUnknown(options),
    ...cronFault,
    ...TABLE.findBroken(settings),
    ...findUnbalancedItems(settings),
    ...findResidentFaults(settings),
    ...findIsolationFaults(settings),
    ...findTaskFaults(settings),
    ...findAfterFaults(settings),
    ...[findMisfireFault(settings) ?? []].flat(),
    ...(source.surplusItemParameters ? [] : findSurplusItems(settings)),
    ...(source.idleFailover ? [] : findIdleFailover(settings)),
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

/** Translates the expression into Quartz's dialect. The rules report all other faults. */
function readCron(
  cron: JobOptions['cron'],
  dialect: CronDialect | undefined,
): { readonly cron: JobOptions['cron']; readonly cronFault: readonly string[] } {
  if (dialect !== 'unix' || typeof cron !== 'string' || cron === '') return { cron, cronFault: [] };
  try {
    return { cron: unixToQuartz(cron), cronFault: [] };
  } catch (error) {
    return { cron: undefined, cronFault: [`cron: ${messageOf(error)}`] };
  }
}

/** The options with every default applied. */
function withDefaults(options: JobOptions): CompleteOptions {
  const complete = byName<CompleteOptions>(SETTING_NAMES, (name) => {
    const { default: usual, required, normalize }: Setting = JOB_SETTINGS[name];
    const value = required ? options[name] : (options[name] ?? usual);
    return normalize === undefined ? value : normalize(value);
  });
  return { ...complete, ...resolveMisfire(options) };
}

/** Silent if count or text are wrong in themselves: the rules report that. */
function findSurplusItems({ shardingItemParameters, shardingTotalCount }: CompleteOptions): string[] {
  const isRead = findFault(() => parseShardingItemParameters(shardingItemParameters)) === undefined;
  if (!isRead || !(shardingTotalCount >= 1)) return [];
  return [...parseShardingItemParameters(shardingItemParameters).keys()]
    .filter((item) => item >= shardingTotalCount)
    .map(
      (item) =>
        `shardingItemParameters must name items from 0 to ${shardingTotalCount - 1} (shardingTotalCount ` +
        `${shardingTotalCount}), but names ${item} in ${show(shardingItemParameters)}`,
    );
}

/** The message names the strategy by its text: the fault is the same whether this process has it or not. */
function findUnbalancedItems({ strategy, shardingTotalCount }: CompleteOptions): string[] {
  const type = typeof strategy === 'object' ? strategy.type : strategy;
  const isSingle = typeof type === 'string' && type.toUpperCase() === 'SINGLE_SHARDING_BALANCE';
  if (!isSingle || shardingTotalCount === 1) return [];
  return [`strategy ${show(type)} needs a shardingTotalCount of 1, but that is ${show(shardingTotalCount)}`];
}

/** Options of a resident job that would stop an item, or let it run twice. */
function findResidentFaults({ resident, cron, concurrency, monitorExecution }: JobOptions): string[] {
  if (resident !== true) return [];
  return [
    ...(cron === undefined ? [] : [`cron must not be given with resident: true, but is ${show(cron)}`]),
    ...(concurrency === undefined
      ? []
      : [`concurrency must not be given with resident: true, but is ${show(concurrency)}: all items run at all times`]),
    ...(monitorExecution === true ? [] : ['monitorExecution must be true with resident: true, but is false']),
  ];
}

/** Without marks, what a crashed instance ran is unknown. Other settings that need marks report it themselves. */
function findIdleFailover(settings: CompleteOptions): string[] {
  if (!hasIdleFailover(settings) || settings.resident || settings.after.length > 0) return [];
  return [
    'failover must not be true with monitorExecution: false, which leaves unknown what a crashed instance ran; ' +
      'leave monitorExecution out, or set failover to false',
  ];
}

/** Options of tasks and threads that contradict each other, or lack their program. */
function findTaskFaults({
  appName,
  executor,
  isolation,
  monitorExecution,
  resources,
  task,
}: CompleteOptions): string[] {
  if (executor === undefined) {
    const given = Object.entries({ appName, resources, task }).find(([, value]) => value !== undefined);
    return given === undefined ? [] : [`${given[0]} is given, but executor is not "task"`];
  }
  const faults = [];
  if (!monitorExecution) faults.push('monitorExecution must be true with executor "task": a record counts launches');
  if (isolation !== undefined) faults.push('isolation must be left out with executor "task": a task is a process');
  return faults;
}

function findIsolationFaults({ isolation, workerModule }: CompleteOptions): string[] {
  if (isolation !== undefined) return workerModule === undefined ? ['workerModule must be given with isolation'] : [];
  return workerModule === undefined ? [] : [`workerModule is given (${show(workerModule)}), but no isolation`];
}

/** Options that would start the job without its parents, or keep a start from running. */
function findAfterFaults({ after, name, cron, resident, misfire, monitorExecution }: CompleteOptions) {
  if (after.length === 0) return [];
  const given = `after: [${after.map(show).join(', ')}]`;
  return [
    ...(after.includes(name) ? [`after must name other jobs, but is [${after.map(show).join(', ')}]`] : []),
    ...(cron === undefined ? [] : [`cron must not be given with ${given}, but is ${show(cron)}`]),
    ...(resident ? [`resident must not be true with ${given}`] : []),
    ...(monitorExecution ? [] : [`monitorExecution must be true with ${given}, but is false`]),
    ...(misfire
      ? []
      : [`misfire must be true with ${given}, but is false: a start that meets busy items waits for them`]),
  ];
}

function hidden(given: string | HiddenText | undefined): HiddenText | undefined {
  return typeof given === 'string' ? new HiddenText(given) : given;
}
