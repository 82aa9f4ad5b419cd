import type { JobName } from '../cluster/index.js';
import type { ShardingStrategy } from '../sharding/index.js';
import type { HiddenText } from './hidden.js';
import type { CodeOption, ConcurrencyOption, JobOptions, TaskOptions, TaskResources } from './job-options.js';

/**
 * A job's settings in force: with defaults, validated, frozen. `resolveJobOptions` makes them from options, and the
 * configuration room lays the registry's `config` node over them. Settings that are not listed here are the options of
 * the same name, and always have a value.
 */
export interface JobConfiguration extends Required<
  Omit<
    JobOptions,
    | CodeOption
    | 'after'
    | 'concurrency'
    | 'cron'
    | 'jobErrorHandlerType'
    | 'jobExecutorThreadPoolSizeProviderType'
    | 'jobExtraConfigurations'
    | 'label'
    | 'name'
    | 'strategy'
    | 'timeZone'
    | 'timeoutMs'
  >
> {
  readonly jobName: JobName;
  /** Undefined: a one-off job, which runs only when it is triggered. */
  readonly cron: string | undefined;
  /** Undefined: the host's zone. */
  readonly timeZone: string | undefined;
  readonly strategy: ShardingStrategy;
  readonly label: string | undefined;
  /** Undefined: Java's default, `CPU`. */
  readonly jobExecutorThreadPoolSizeProviderType: string | undefined;
  /** Undefined: `LOG`. */
  readonly jobErrorHandlerType: string | undefined;
  /** The YAML of Java's tracing settings, as it stands in the registry. */
  readonly jobExtraConfigurations: HiddenText | undefined;
  /** Undefined: no limit. */
  readonly timeoutMs: number | undefined;
  /** Undefined: the size of Java's thread pool if that is named, else all items at once. @see mostItemsAtOnce */
  readonly concurrency: ConcurrencyOption | undefined;
  readonly isolation: 'worker-thread' | undefined;
  /** The text of a URL. Given if, and only if, there is `isolation`. */
  readonly workerModule: string | undefined;
  readonly workerExport: string;
  /** Undefined: the items run in this process. */
  readonly executor: 'task' | undefined;
  readonly appName: string | undefined;
  /** Fields that are left out come from the application or the Cloud module. */
  readonly resources: Partial<TaskResources> | undefined;
  readonly task: TaskOptions | undefined;
  /** The jobs after which this one starts; empty: it has a schedule, or is triggered. */
  readonly after: readonly JobName[];
}

/**
 * True if the items of crashed instances are queued and claimed. Items of a resident job move with their owners
 * instead.
 */
export function failsOver(
  configuration: Pick<JobConfiguration, 'failover' | 'monitorExecution' | 'resident'>,
): boolean {
  return configuration.failover && configuration.monitorExecution && !configuration.resident;
}

/** True if failover is configured but off: without marks, what a crashed instance ran is unknown. */
export function hasIdleFailover(configuration: Pick<JobConfiguration, 'failover' | 'monitorExecution'>): boolean {
  return configuration.failover && !configuration.monitorExecution;
}

/** True for a change that decides whether failover can work. */
export function switchesFailover(changes: {
  readonly failover?: unknown;
  readonly monitorExecution?: unknown;
}): boolean {
  return changes.failover !== undefined || changes.monitorExecution !== undefined;
}

/**
 * Most items of a job that run at the same time on one instance. Without `concurrency`, a thread pool size of Java
 * counts if it is named and known here. Every item of a resident job runs at all times.
 * @param processors those of this host
 * @see ElasticJob, `CPUUsageJobExecutorThreadPoolSizeProvider` and `SingleThreadJobExecutorThreadPoolSizeProvider`
 */
export function mostItemsAtOnce(
  configuration: Pick<JobConfiguration, 'concurrency' | 'jobExecutorThreadPoolSizeProviderType' | 'resident'>,
  processors: number,
): number {
  const { concurrency, jobExecutorThreadPoolSizeProviderType: poolSize, resident } = configuration;
  if (resident) return Infinity;
  if (typeof concurrency === 'number') return concurrency;
  switch (concurrency ?? poolSize?.toUpperCase()) {
    case 'CPU':
      return 2 * processors;
    case 'SINGLE_THREAD':
      return 1;
    default:
      return Infinity;
  }
}
