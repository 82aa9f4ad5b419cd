import type { Clock } from '../clock/index.js';
import type {
  AllowedRegistryTargets,
  CronDialect,
  ElasticJobListener,
  FencedStore,
  JobDefaults,
  JobErrorHandler,
  JobName,
  JobOptions,
  JobType,
  Redact,
  RunTracer,
  ShardingStrategy,
} from '../domain/index.js';
import type { WorkerPool } from '../executor/index.js';
import type { MemoryRegistry, ZooKeeperOptions } from '../registry/index.js';
import type { JobEventSink } from '../tracing/index.js';
import type { LogSinkOptions } from './event.logger.js';

/**
 * A registry inside this process, for development, tests and applications of one process. It is the default except in
 * production, where it has to be asked for.
 */
export interface MemoryRegistryOptions {
  /** Chooses the registry inside this process. */
  readonly type: 'memory';
  /**
   * Shared by applications of one process that need to see each other. @default a registry of this application's own
   */
  readonly server?: MemoryRegistry;
  /** Jobs of one namespace see each other. @default 'elastic-job' */
  readonly namespace?: string;
  /** Time for which the registry keeps what a crashed instance has left, in milliseconds. @default 15_000 */
  readonly sessionTimeoutMs?: number;
  /** Longest wait for an answer, in milliseconds. @default 10_000 */
  readonly requestTimeoutMs?: number;
}

/** A ZooKeeper ensemble, and how to reach it. */
export interface ZooKeeperRegistryOptions extends ZooKeeperOptions {
  /** Chooses ZooKeeper. */
  readonly type: 'zookeeper';
}

/**
 * Options of a job in the module, which override its decorator, except the name; or all options of a job without a
 * class.
 */
export type JobOverrides = Partial<Omit<JobOptions, 'name'>> & {
  /** Type of a job without a class: `HTTP`, or one of `jobTypes`. Its props configure it. */
  readonly type?: string;
};

/** Options of `ElasticJobModule.forRoot`. */
export interface ElasticJobModuleOptions {
  /**
   * ZooKeeper, or a registry inside this process. `registry: undefined` is refused, and so is a factory of
   * `forRootAsync` that gives no option at all: a value that was not found must not leave each process alone. With
   * `NODE_ENV=production` it has to be given, except in the worker of a task, which has no registry.
   * @default { type: 'memory' }, but none with NODE_ENV=production
   */
  readonly registry?: MemoryRegistryOptions | ZooKeeperRegistryOptions;
  /** False: this process connects, but registers and runs no jobs. @default true */
  readonly processing?: boolean;
  /**
   * Options by job name. They override the decorator's, and the registry's `config` node overrides them. An entry with
   * a `type` is a job of its own, without a class.
   */
  readonly jobs?: Readonly<Record<JobName, JobOverrides>>;
  /**
   * Settings that the jobs of this application have in common, such as
   * `{ timeZone: 'Europe/Berlin', failover: true, overwrite: true }`. They stand below a job's own options and above
   * the library's defaults: for jobs of decorators and of `jobs`, those that are added at run time, and templates. A
   * job that contradicts one by its own options, as a resident job does with `concurrency` and `timeoutMs`, goes
   * without it. A job that wants the library's default names that itself. The registry's `config` node overrides them
   * as all values of code.
   * @default {}
   */
  readonly defaults?: JobDefaults;
  /**
   * Job types besides `HTTP` for jobs without a class, such as `new ScriptJobType()` of `nestjs-elastic-job/script`.
   * @default []
   */
  readonly jobTypes?: readonly JobType[];
  /** Own sharding strategies of the application, which jobs name by their `type`. */
  readonly strategies?: readonly (ShardingStrategy | (new () => ShardingStrategy))[];
  /**
   * Dialect of jobs' `cron` where they name none, also for created jobs, and for edits by this application. An edit may
   * also have Quartz's text. @default 'quartz'
   */
  readonly cronDialect?: CronDialect;
  /** True: `APP_GUARD`, `useGlobalPipes` and their siblings reach jobs as well. @default false */
  readonly globalEnhancers?: boolean;
  /** How long a shutdown waits for running items before it aborts them, in milliseconds. @default 30_000 */
  readonly drainTimeoutMs?: number;
  /**
   * Address or name under which this host registers, as a server that operators see and disable. It must differ between
   * hosts.
   * @default the first IPv4 address as in ElasticJob, else an IPv6 address beyond the link, else the host's name
   */
  readonly host?: string;
  /** Replaces `{pid}-{session}` in the instance id: for a StatefulSet's stable names. */
  readonly instanceId?: string;
  /**
   * Release of the application, which operators see beside each instance: 1 to 64 letters, digits and `. _ + -`.
   * @default `version` of the nearest `package.json` above the main file, if it has one
   */
  readonly version?: string;
  /**
   * Compared before the fencing token; raise it after the ensemble was restored or replaced.
   * @default 0
   */
  readonly tokenEpoch?: number;
  /**
   * How long a Java peer must be missing before its items fail over, in milliseconds: it vanishes for a moment whenever
   * it reconnects. @default 1_000
   */
  readonly javaReconnectGraceMs?: number;
  /**
   * How long a handler may go on after its signal has aborted before a `hung` event reports it, in milliseconds.
   * @default 30_000
   */
  readonly hungGraceMs?: number;
  /**
   * Delay of a run, from the instant at which it is due to its handler's first line, above which a `late` event reports
   * it, in milliseconds.
   * @default 5_000
   */
  readonly lateAfterMs?: number;
  /**
   * Guarded stores, such as a `SqlGuard`. Start is refused if one of them has seen tokens that the registry has not
   * reached yet, as after a restore of the registry; the error names the right `tokenEpoch`.
   * @default []
   */
  readonly fences?: readonly FencedStore[];
  /**
   * By how much this host's clock may be ahead of the registry's, in milliseconds. Beyond that, fire times wait until
   * they are due by the registry's clock.
   * @default 10_000
   */
  readonly clockToleranceMs?: number;
  /**
   * How long the registry may not answer before running items are aborted, in milliseconds.
   * @default none: LOST decides
   */
  readonly suspendedGraceMs?: number;
  /**
   * Error handlers besides the built-in ones, which jobs name as their `jobErrorHandlerType`: the application's own,
   * and those with an entry of their own, such as `new EmailErrorHandler()` of `nestjs-elastic-job/email`.
   * @default []
   */
  readonly errorHandlers?: readonly JobErrorHandler[];
  /**
   * Commands and addresses that an edit in the registry may set for jobs and error handlers. Other values of props such
   * as `script.command.line` and `http.uri` are reported and not followed: the process's own values stay in force.
   * @default none
   */
  readonly allowRegistryTargets?: AllowedRegistryTargets;
  /**
   * How long a channel such as EMAIL holds back repeated failures of one kind, in milliseconds; then it reports them
   * together, with their count.
   * @default 300_000
   */
  readonly errorWindowMs?: number;
  /**
   * Threads for jobs with `isolation: 'worker-thread'`, such as `new WorkerThreads()` of
   * `nestjs-elastic-job/worker-pool`. They end with the application.
   * @default none
   */
  readonly workerPool?: WorkerPool;
  /**
   * Follows each run that is begun here, such as `openTelemetryTracer()` of `nestjs-elastic-job/opentelemetry`.
   * @default none
   */
  readonly tracer?: RunTracer;
  /**
   * Removes secrets from texts before they go to a sink such as the log and a history, to a channel, a span, a health
   * detail, a dump or the report of a task: messages, stacks and fields of errors, other thrown values, output of
   * scripts and tasks, reasons, parameters, differences of settings. It may be called more than once with a part of the
   * same text. Listeners of this process get the events unchanged. If it throws, the text is not shown.
   * @default texts stay as they are
   */
  readonly redact?: Redact;
  /** Time, chance and host. @default those of this process */
  readonly clock?: Clock;
  /**
   * Sinks of events: own ones, a `SqlHistory`, and the log, which is always there. `{ type: 'log', level: 'debug' }`
   * adds a line for each step of a run, `'warn'` leaves only what somebody should look at, and `'off'` silences it.
   * @default [{ type: 'log', level: 'log' }]
   */
  readonly tracing?: readonly (LogSinkOptions | JobEventSink)[];
  /**
   * Listeners around each run: without a `type` for every job, else for jobs that name it in `jobListenerTypes`.
   * @default []
   */
  readonly listeners?: readonly ElasticJobListener[];
}
