import { validateSync } from 'class-validator';
import { ConfigurationError } from '../errors.js';
import type { ShardingStrategy } from '../sharding/index.js';
import { unixToQuartz } from '../schedule/index.js';
import type { CronDialect } from './cron-dialect.js';
import { hiddenProps } from './hidden-props.js';
import { HiddenText } from './hidden-text.js';
import { hasIdleFailover, type JobConfiguration } from './job-configuration.js';
import type { JobOptions } from './job-options.js';
import { JobOptionsRules } from './job-options.rules.js';
import { DEFAULT_MISFIRE_LIMIT, findMisfireFault, resolveMisfire } from './misfire-policy.js';
import { findNearestName } from './nearest-name.js';
import type { OnHung } from './on-hung-option.js';
import { findFault, show } from './option-rules.js';
import { resolveStrategy } from './resolve-strategy.js';
import { parseShardingItemParameters } from './sharding-item-parameters.js';

/** The type of the strategy of a job that names none; ElasticJob's default as well. */
export const DEFAULT_STRATEGY = 'AVG_ALLOCATION';
/** How long a trigger waits for the leader to reshard unless the job says otherwise, in milliseconds. */
export const DEFAULT_SHARDING_TIMEOUT_MS = 30_000;
/** How long the registry remembers a server without instances unless the job says otherwise, in minutes. */
export const DEFAULT_SERVER_RETENTION_MINUTES = 1_440;
/** What becomes of an item whose handler hangs unless the job says otherwise. */
export const DEFAULT_ON_HUNG: OnHung = 'wait';
/**
 * How long the runs of an instance that was shut down are waited for unless the job says otherwise, in milliseconds.
 */
export const DEFAULT_SHUTDOWN_GRACE_MS = 5_000;
/**
 * How many items wait for failover at most unless the job says otherwise.
 * @see ElasticJob-Cloud, `job_state_queue_size`
 */
export const DEFAULT_FAILOVER_QUEUE_LIMIT = 10_000;
/** How often a target is failed over for the death of its executor unless the job says otherwise. */
export const DEFAULT_MAX_EXECUTOR_FAILOVERS = 3;
const DEFAULT_WORKER_EXPORT = 'run';
/** How a failing item is tried again unless the job says otherwise: not at all. Delays in milliseconds. */
export const DEFAULT_RETRY = Object.freeze({
  maxAttempts: 1,
  retryDelayMs: 1_000,
  retryFactor: 2,
  retryMaxDelayMs: 60_000,
  retryJitter: 0.5,
});

/** Where options come from. */
export interface JobOptionsSource {
  /** Names them in errors: `job "settle-orders" (OrderJobs.settle)`. */
  readonly place: string;
  /** The user's own strategies, which options may name by their type. @default none */
  readonly strategies?: readonly ShardingStrategy[];
  /** That of options which do not name one. @default 'quartz' */
  readonly cronDialect?: CronDialect;
  /** Item parameters beyond the total count are left unused, as in Java, instead of refused. @default false */
  readonly surplusItemParameters?: boolean;
  /** Failover without `monitorExecution` counts as off, as in Java, instead of refused. @default false */
  readonly idleFailover?: boolean;
}

/**
 * A job's configuration: the options with every default applied, validated and frozen. An option that is undefined or
 * null counts as not given.
 * @throws {ConfigurationError} that names every wrong option with its value and what would be right.
 */
export function resolveJobOptions(options: JobOptions, source: JobOptionsSource): JobConfiguration {
  const cronDialect = options.cronDialect ?? source.cronDialect ?? 'quartz';
  const { cron, cronFault } = readCron(options.cron, cronDialect);
  const settings = withDefaults({ ...options, cron, cronDialect });
  const resolved = resolveStrategy(settings.strategy, source.strategies ?? []);
  const problems = [
    ...findUnknownOptions(options),
    ...cronFault,
    ...findBrokenRules(settings),
    ...findUnbalancedItems(settings),
    ...findResidentFaults(settings),
    ...findIsolationFaults(settings),
    ...findAfterFaults(settings),
    ...[findMisfireFault(settings) ?? []].flat(),
    ...(source.surplusItemParameters ? [] : findSurplusItems(settings)),
    ...(source.idleFailover ? [] : findIdleFailover(settings)),
  ];
  if (resolved.kind === 'refused') throw new ConfigurationError(source.place, [...problems, resolved.problem]);
  if (problems.length > 0) throw new ConfigurationError(source.place, problems);

  const { name, className: _className, cronDialect: _dialect, ...rest } = settings;
  return Object.freeze({
    ...rest,
    jobName: name,
    strategy: resolved.strategy,
    // To copy thousands of them takes longer than to read them.
    props: Object.isFrozen(settings.props) ? settings.props : hiddenProps(settings.props),
    jobListenerTypes: Object.freeze([...settings.jobListenerTypes]),
    after: Object.freeze([...settings.after]),
    jobExtraConfigurations: hidden(settings.jobExtraConfigurations),
  });
}

/** The expression in Quartz's dialect. Whatever else is wrong with it the rules say. */
function readCron(
  cron: JobOptions['cron'],
  dialect: CronDialect,
): { readonly cron: JobOptions['cron']; readonly cronFault: readonly string[] } {
  if (dialect !== 'unix' || typeof cron !== 'string' || cron === '') return { cron, cronFault: [] };
  try {
    return { cron: unixToQuartz(cron), cronFault: [] };
  } catch (error) {
    return { cron: undefined, cronFault: [`cron: ${error instanceof Error ? error.message : String(error)}`] };
  }
}

function withDefaults(options: JobOptions) {
  return {
    name: options.name ?? '',
    cron: options.cron || undefined,
    cronDialect: options.cronDialect,
    className: options.className ?? undefined,
    shardingTotalCount: options.shardingTotalCount,
    shardingItemParameters: options.shardingItemParameters ?? '',
    jobParameter: options.jobParameter ?? '',
    strategy: options.strategy ?? DEFAULT_STRATEGY,
    timeZone: options.timeZone ?? undefined,
    clockChange: options.clockChange ?? ('auto' as const),
    failover: options.failover ?? false,
    monitorExecution: options.monitorExecution ?? true,
    disabled: options.disabled ?? false,
    overwrite: options.overwrite ?? false,
    description: options.description ?? '',
    maxTimeDiffSeconds: options.maxTimeDiffSeconds ?? -1,
    reconcileIntervalMinutes: options.reconcileIntervalMinutes ?? 10,
    staticSharding: options.staticSharding ?? false,
    label: options.label ?? undefined,
    props: options.props ?? {},
    jobExecutorThreadPoolSizeProviderType: options.jobExecutorThreadPoolSizeProviderType || undefined,
    jobErrorHandlerType: options.jobErrorHandlerType || undefined,
    jobListenerTypes: options.jobListenerTypes ?? [],
    jobExtraConfigurations: options.jobExtraConfigurations || undefined,
    serverRetentionMinutes: options.serverRetentionMinutes ?? DEFAULT_SERVER_RETENTION_MINUTES,
    shardingTimeoutMs: options.shardingTimeoutMs ?? DEFAULT_SHARDING_TIMEOUT_MS,
    timeoutMs: options.timeoutMs ?? undefined,
    concurrency: options.concurrency ?? undefined,
    onHung: options.onHung ?? DEFAULT_ON_HUNG,
    shutdownGraceMs: options.shutdownGraceMs ?? DEFAULT_SHUTDOWN_GRACE_MS,
    failoverQueueLimit: options.failoverQueueLimit ?? DEFAULT_FAILOVER_QUEUE_LIMIT,
    maxExecutorFailovers: options.maxExecutorFailovers ?? DEFAULT_MAX_EXECUTOR_FAILOVERS,
    resident: options.resident ?? false,
    ...resolveMisfire(options),
    misfireLimit: options.misfireLimit ?? DEFAULT_MISFIRE_LIMIT,
    maxAttempts: options.maxAttempts ?? DEFAULT_RETRY.maxAttempts,
    retryDelayMs: options.retryDelayMs ?? DEFAULT_RETRY.retryDelayMs,
    retryFactor: options.retryFactor ?? DEFAULT_RETRY.retryFactor,
    retryMaxDelayMs: options.retryMaxDelayMs ?? DEFAULT_RETRY.retryMaxDelayMs,
    retryJitter: options.retryJitter ?? DEFAULT_RETRY.retryJitter,
    isolation: options.isolation ?? undefined,
    workerModule: options.workerModule instanceof URL ? options.workerModule.href : (options.workerModule ?? undefined),
    workerExport: options.workerExport ?? DEFAULT_WORKER_EXPORT,
    after: [...new Set([options.after ?? []].flat())],
  };
}

function findUnknownOptions(options: JobOptions): string[] {
  const known = Object.keys(new JobOptionsRules());
  // Not their values: a secret may stand under a name that is spelled wrong.
  return Object.keys(options)
    .filter((option) => !known.includes(option))
    .map((option) => {
      const meant = findNearestName(option, known);
      const hint = meant === undefined ? `known are ${known.join(', ')}` : `did you mean ${meant}?`;
      return `${option} is not an option of a job; ${hint}`;
    });
}

function findBrokenRules(settings: JobOptions): string[] {
  const judged = Object.assign(new JobOptionsRules(), settings);
  return validateSync(judged, { stopAtFirstError: true }).flatMap(({ constraints }) =>
    Object.values(constraints ?? {}),
  );
}

/** Says nothing if count or text are wrong in themselves: the rules already do. */
function findSurplusItems({ shardingItemParameters = '', shardingTotalCount }: JobOptions): string[] {
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

/** Named by its text: the fault is the same whether this process has the strategy or not. */
function findUnbalancedItems({ strategy, shardingTotalCount }: JobOptions): string[] {
  const type = typeof strategy === 'object' ? strategy.type : strategy;
  const isSingle = typeof type === 'string' && type.toUpperCase() === 'SINGLE_SHARDING_BALANCE';
  if (!isSingle || shardingTotalCount === 1) return [];
  return [`strategy ${show(type)} needs a shardingTotalCount of 1, but that is ${show(shardingTotalCount)}`];
}

/** What would keep an item of a resident job from running at all times, or nobody from running it twice. */
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

/** Nobody would know what a crashed instance ran. What else needs the marks says so itself. */
function findIdleFailover(settings: ReturnType<typeof withDefaults>): string[] {
  if (!hasIdleFailover(settings) || settings.resident || settings.after.length > 0) return [];
  return [
    'failover must not be true with monitorExecution: false, since nobody knows then what a crashed instance ran; ' +
      'leave monitorExecution out, or set failover to false',
  ];
}

/** A thread needs to know what to run. */
function findIsolationFaults({ isolation, workerModule }: JobOptions): string[] {
  if (isolation !== undefined) return workerModule === undefined ? ['workerModule must be given with isolation'] : [];
  return workerModule === undefined ? [] : [`workerModule is given (${show(workerModule)}), but no isolation`];
}

/** What would start the job otherwise than after its parents, or keep a start from being run. */
function findAfterFaults({ after, name, cron, resident, misfire, monitorExecution }: ReturnType<typeof withDefaults>) {
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

function hidden(text: string | HiddenText | undefined): HiddenText | undefined {
  return typeof text === 'string' ? new HiddenText(text) : text;
}
