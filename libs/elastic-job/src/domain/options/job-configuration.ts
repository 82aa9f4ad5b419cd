import type { ShardingStrategy } from '../sharding/index.js';
import type { JobName } from '../cluster/index.js';
import type { ClockChangeOption } from './clock-change-option.js';
import type { ConcurrencyOption } from './concurrency-option.js';
import type { HiddenText } from './hidden-text.js';
import type { OnHung } from './on-hung-option.js';
import type { MisfirePolicy } from './misfire-policy.js';

/**
 * A job's settings in force: every default applied, validated, frozen. Made from options by `resolveJobOptions`, and
 * from the registry's `config` node by the configuration room, which lays the node over these.
 */
export interface JobConfiguration {
  readonly jobName: JobName;
  /** Undefined: a one-off job, which runs when it is triggered. */
  readonly cron: string | undefined;
  /** Undefined: the host's zone. */
  readonly timeZone: string | undefined;
  readonly clockChange: ClockChangeOption;
  readonly shardingTotalCount: number;
  /** As written: `0=Beijing,1=Shanghai`. */
  readonly shardingItemParameters: string;
  readonly jobParameter: string;
  readonly strategy: ShardingStrategy;
  readonly failover: boolean;
  readonly misfire: boolean;
  readonly monitorExecution: boolean;
  readonly disabled: boolean;
  readonly overwrite: boolean;
  readonly description: string;
  readonly maxTimeDiffSeconds: number;
  readonly reconcileIntervalMinutes: number;
  readonly staticSharding: boolean;
  readonly label: string | undefined;
  readonly props: Readonly<Record<string, string>>;
  /** Undefined: Java's default, `CPU`. */
  readonly jobExecutorThreadPoolSizeProviderType: string | undefined;
  /** Undefined: `LOG`. */
  readonly jobErrorHandlerType: string | undefined;
  readonly jobListenerTypes: readonly string[];
  /** The YAML of Java's tracing settings, as it stands in the registry. */
  readonly jobExtraConfigurations: HiddenText | undefined;
  readonly serverRetentionMinutes: number;
  readonly shardingTimeoutMs: number;
  /** Undefined: no limit. */
  readonly timeoutMs: number | undefined;
  /** Undefined: as the thread pool of Java's, or all items at once. @see mostItemsAtOnce */
  readonly concurrency: ConcurrencyOption | undefined;
  readonly onHung: OnHung;
  readonly shutdownGraceMs: number;
  readonly failoverQueueLimit: number;
  readonly maxExecutorFailovers: number;
  readonly resident: boolean;
  /** `skip` exactly if `misfire` is off. */
  readonly misfirePolicy: MisfirePolicy;
  readonly misfireLimit: number;
  /** 1: no retry. */
  readonly maxAttempts: number;
  readonly retryDelayMs: number;
  readonly retryFactor: number;
  readonly retryMaxDelayMs: number;
  readonly retryJitter: number;
  readonly isolation: 'worker-thread' | undefined;
  /** The text of a URL. Given exactly if there is `isolation`. */
  readonly workerModule: string | undefined;
  readonly workerExport: string;
  /** The jobs after whose runs this one is started; empty: it has a schedule, or is triggered. */
  readonly after: readonly JobName[];
}

/** Items of crashed instances are queued and claimed. Those of a resident job move with their owners instead. */
export function failsOver(
  configuration: Pick<JobConfiguration, 'failover' | 'monitorExecution' | 'resident'>,
): boolean {
  return configuration.failover && configuration.monitorExecution && !configuration.resident;
}

/** Failover is asked for, and counts as off: without marks nobody knows what a crashed instance ran. */
export function hasIdleFailover(configuration: Pick<JobConfiguration, 'failover' | 'monitorExecution'>): boolean {
  return configuration.failover && !configuration.monitorExecution;
}

/** A change that decides whether failover can work. */
export function switchesFailover(changes: {
  readonly failover?: unknown;
  readonly monitorExecution?: unknown;
}): boolean {
  return changes.failover !== undefined || changes.monitorExecution !== undefined;
}
