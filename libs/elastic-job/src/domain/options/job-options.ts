import type { JobName } from '../cluster/index.js';
import type { ClockChangeOption } from '../schedule/index.js';
import type { ShardingStrategy } from '../sharding/index.js';
import type { CronDialect } from './cron-dialect.js';
import type { HiddenText } from './hidden.js';
import type { MisfirePolicy } from './misfire-policy.js';

/** Options of a job. Everything but `shardingTotalCount` has a default. */
export interface JobOptions {
  /** Unique among the jobs of the namespace. @default `{Class}.{method}` of the decorated provider */
  readonly name?: JobName;
  /**
   * Quartz syntax: six or seven fields, seconds first; or the syntax that `cronDialect` names. One that never fires is
   * refused, and so is one that is over, unless the registry has it already.
   * @default none: a one-off job, which runs when it is triggered
   */
  readonly cron?: string;
  /**
   * `unix`: `cron` has five fields, or six with seconds first, as `CronExpression` of `@nestjs/schedule` has them. It
   * is translated when the job is defined, so the registry, operators and Java see the Quartz text.
   * @default that of the module, else 'quartz'
   */
  readonly cronDialect?: CronDialect;
  /**
   * The text of the job's root node. Java writes its job class there, and refuses a job with another one: name that
   * class to share the job.
   * @default the place of the declaration, `OrderJobs.settle`; the type of a job without a class; the name of one that
   * is added at run time
   */
  readonly className?: string;
  /** Number of items, at least 1. */
  readonly shardingTotalCount: number;
  /** `0=Beijing,1=Shanghai`: the `shardingParameter` of each item. @default '' */
  readonly shardingItemParameters?: string;
  /** Passed to every item. @default '' */
  readonly jobParameter?: string;
  /**
   * A strategy's type (or one of ElasticJob's aliases), or the strategy itself. For `BALANCED` ElasticJob's
   * `AVG_ALLOCATION` is taken while the job has a Java peer.
   * @default 'BALANCED'
   */
  readonly strategy?: string | ShardingStrategy | (new () => ShardingStrategy);
  /** An IANA name or ElasticJob's `GMT+8:00`. @default the host's zone */
  readonly timeZone?: string;
  /** The rule for fire times around a clock change. @default 'auto' */
  readonly clockChange?: ClockChangeOption;
  /**
   * Runs the items of a crashed instance again at once on another one. Refused with `monitorExecution: false`; a
   * registry that has both turns failover off.
   * @default false
   */
  readonly failover?: boolean;
  /** ElasticJob's switch for catching up on missed fire times; `misfirePolicy` says how. @default true */
  readonly misfire?: boolean;
  /** Marks running items in the registry; without it nothing is promised across processes. @default true */
  readonly monitorExecution?: boolean;
  /**
   * Starts a server that was never registered as disabled. In a job that exists it is the operators': `JobOperateApi`
   * disables and enables it, and `overwrite` leaves it alone.
   * @default false
   */
  readonly disabled?: boolean;
  /** Writes these options over the registry's at each start, but for `disabled`. @default false */
  readonly overwrite?: boolean;
  /** A text for operators; consoles show it. @default '' */
  readonly description?: string;
  /** Greatest difference to the registry's clock, in seconds; -1: unchecked. @default -1 */
  readonly maxTimeDiffSeconds?: number;
  /** How often the leader looks for orphans that no event has reported, in minutes; 0: never. @default 10 */
  readonly reconcileIntervalMinutes?: number;
  /**
   * Keeps items on their instances when others join or leave; only a changed total moves them.
   * @default false
   */
  readonly staticSharding?: boolean;
  /** A word for people; it decides nothing. @default none */
  readonly label?: string;
  /**
   * Settings of job types, error handlers and listeners, by name. Names that begin with `nestjs.` are reserved.
   * @default {}
   */
  readonly props?: Readonly<Record<string, string>>;
  /**
   * ElasticJob's name for `concurrency`: `CPU` or `SINGLE_THREAD`. Used where `concurrency` is not given. @default none
   */
  readonly jobExecutorThreadPoolSizeProviderType?: string;
  /**
   * Reports an item that has failed, after its last attempt.
   * - `LOG`: an `error` event, which the log has.
   * - `IGNORE`: nothing.
   * - `THROW`: the run as a whole has failed, and one `error` event has the failures of all its items. Nothing is
   *   thrown at the process, where an uncaught exception would end all other jobs as well.
   * - `WECHAT`, `DINGTALK`, `SLACK`, `WEBHOOK`, `EMAIL` or your own: a message, with settings among the `props`. The
   *   module must be given each of them in its `errorHandlers`.
   *
   * @default 'LOG'
   */
  readonly jobErrorHandlerType?: string;
  /**
   * Listeners around each run, by their type among the module's `listeners`. Listeners of Java instances are named only
   * in the registry, but those that distribute once must be there on both sides.
   * @default []
   */
  readonly jobListenerTypes?: readonly string[];
  /** Tracing settings of Java instances: a YAML list as ElasticJob writes it. Passed on, never shown. @default none */
  readonly jobExtraConfigurations?: string | HiddenText;
  /** How long the registry remembers a server without instances, in minutes; 0: for ever. @default 1440 */
  readonly serverRetentionMinutes?: number;
  /** Longest wait of a trigger for the leader to reshard, in milliseconds. @default 30_000 */
  readonly shardingTimeoutMs?: number;
  /**
   * Longest run of one item, in milliseconds; its signal aborts then. The limit covers all attempts and the pauses
   * between them, since an item that takes longer is late, however often it was tried. That of a task counts from its
   * start. Listeners of a run have the same time before it, and again after it. @default none
   */
  readonly timeoutMs?: number;
  /**
   * Most items that run at the same time on one instance: a number, `CPU` (twice its processors) or `SINGLE_THREAD`
   * (one).
   * @default what `jobExecutorThreadPoolSizeProviderType` says, else all of them
   */
  readonly concurrency?: ConcurrencyOption;
  /**
   * Treatment of an item whose handler, or listener before it, goes on for the module's `hungGraceMs` after its signal
   * has aborted.
   * - `wait`: it starts nowhere until the handler returns or the session ends.
   * - `release`: it is given up to others, and with `failover` run again. Only for handlers whose effects are fenced by
   *   the token, since the old one still runs.
   * - `terminate`: its thread is ended; only with `isolation: 'worker-thread'`.
   *
   * An item whose work is a task always waits for the end of the task.
   *
   * @default 'wait'
   */
  readonly onHung?: OnHung;
  /**
   * After an operator has shut an instance down: how long its runs may take to react to their signals before others
   * take their items, in milliseconds. @default 5_000
   */
  readonly shutdownGraceMs?: number;
  /**
   * Most items that wait for failover; an orphan beyond the limit is dropped, and an event names it.
   * @default 10_000
   */
  readonly failoverQueueLimit?: number;
  /** How often a target is failed over because its executor has died; after that it has failed for good. @default 3 */
  readonly maxExecutorFailovers?: number;
  /**
   * Runs each item at all times, until its signal aborts; an item that ends is started again. Has no `cron`.
   * @default false
   */
  readonly resident?: boolean;
  /** Treatment of fire times that were not begun in time. @default 'once', or 'skip' with `misfire: false` */
  readonly misfirePolicy?: MisfirePolicy;
  /**
   * With `misfirePolicy: 'all'`: most fire times of an item that are caught up on; older ones are missed.
   * @default 100
   */
  readonly misfireLimit?: number;
  /**
   * How often a failing item is tried within its lease; the last failure is its outcome. It is not tried again once its
   * signal has aborted. While it waits it keeps its lease, and frees its place for other items.
   * @default 1: no retry
   */
  readonly maxAttempts?: number;
  /** The pause before the second attempt, in milliseconds. @default 1_000 */
  readonly retryDelayMs?: number;
  /** How much longer each further pause is, at least 1. @default 2 */
  readonly retryFactor?: number;
  /** The longest pause, in milliseconds. @default 60_000 */
  readonly retryMaxDelayMs?: number;
  /** The share of each pause that is random, from 0 (none) to 1 (all of it). @default 0.5 */
  readonly retryJitter?: number;
  /**
   * `worker-thread`: the function that `workerModule` exports does the work, in a thread of the module's `workerPool`,
   * where it may compute without a pause. It gets a `ThreadContext`, and the return value of the job's own method,
   * which runs first in the main thread, with its enhancers. This option and the two next are code, and are not kept in
   * the registry.
   * @default none: the job's own method does the work
   */
  readonly isolation?: 'worker-thread';
  /** `new URL('./settle.worker.js', import.meta.url)`, or its text. Needed with `isolation`. */
  readonly workerModule?: URL | string;
  /** The name of the function that `workerModule` exports. @default 'run' */
  readonly workerExport?: string;
  /**
   * `task`: each item runs as a task of its own, a process that the backend of `ElasticJobCloudModule` starts, and this
   * process schedules it. Needs `monitorExecution`, and excludes `isolation`. This option and the three next are code,
   * and are not kept in the registry.
   * @default none: the item runs in this process
   */
  readonly executor?: 'task';
  /**
   * One of the `apps` of `ElasticJobCloudModule`, whose task settings hold unless `resources` and `task` say otherwise.
   * @default none @see ElasticJob-Cloud, application configuration
   */
  readonly appName?: string;
  /** Resources of a task. @default { cpu: 1, memoryMb: 128 } */
  readonly resources?: Partial<TaskResources>;
  /** Program of a task, and how it is ended. @default the program of this process */
  readonly task?: TaskOptions;
  /**
   * Runs the job once when all items of these jobs have succeeded for the same fire time, which becomes its own. The
   * parents share one schedule, or run after others that do. An operator's trigger starts nothing, nor do fire times
   * from before this job's first leader has registered it with its parents. A parent that is not there yet is waited
   * for, with a warning and a degraded readiness. Has no `cron`.
   * @default none
   */
  readonly after?: JobName | readonly JobName[];
}

/** Options that belong to the code of one process: no settings, and never in the registry. */
export type CodeOption =
  | 'className'
  | 'cronDialect'
  | 'isolation'
  | 'workerModule'
  | 'workerExport'
  | 'executor'
  | 'appName'
  | 'resources'
  | 'task';

/** Options that each job has for itself, since a common value of several jobs would make no sense. */
export type OwnOption =
  | 'name'
  | 'cron'
  | 'shardingTotalCount'
  | 'shardingItemParameters'
  | 'jobParameter'
  | 'description'
  | 'props'
  | 'jobExecutorThreadPoolSizeProviderType'
  | 'jobExtraConfigurations'
  | 'resident'
  | 'after';

/** Settings that jobs may have in common: values for jobs that do not say them. */
export type JobDefaults = Omit<JobOptions, OwnOption | CodeOption>;

export const ON_HUNG = ['wait', 'release', 'terminate'] as const;

/** Treatment of an item whose handler ignores its signal. @see JobOptions.onHung */
export type OnHung = 'wait' | 'release' | 'terminate';

export const THREAD_POOL_SIZES = ['CPU', 'SINGLE_THREAD'] as const;

/** Most items of a job at the same time on one instance, as a number or as ElasticJob names it. */
export type ConcurrencyOption = number | 'CPU' | 'SINGLE_THREAD';

/** Limits of a task. */
export interface TaskResources {
  /** Processors; fractions are allowed. Greater than 0. @default 1 */
  readonly cpu: number;
  /** Mebibytes, a whole number of at least 1. @default 128 */
  readonly memoryMb: number;
}

/** The program that is started as a task. */
export interface TaskTemplate {
  /** The program and its arguments. @default the backend's own: for child processes the entry of this process */
  readonly command?: readonly string[];
  /** The image of its container; backends without images refuse it. */
  readonly image?: string;
  /** Variables of its environment, which inherits none from the scheduler. No secrets. */
  readonly env?: Readonly<Record<string, string>>;
  /** Its working directory. @default the backend's */
  readonly workingDirectory?: string;
}

/** How the tasks of a job are run. */
export interface TaskOptions extends TaskTemplate {
  /**
   * From SIGTERM to SIGKILL, in milliseconds; less where others are about to have the item. @default 30_000
   */
  readonly graceMs?: number;
}

/** @see ElasticJob-Cloud, `CloudJobConfiguration`: its defaults for an application */
export const DEFAULT_RESOURCES: TaskResources = { cpu: 1, memoryMb: 128 };
