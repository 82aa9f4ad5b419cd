import type { Clock } from '../clock/index.js';
import type {
  AllowedRegistryTargets,
  CronDialect,
  ElasticJobListener,
  FencedStore,
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

/** A registry inside this process: the default, for development, tests and single-process applications. */
export interface MemoryRegistryOptions {
  readonly type: 'memory';
  /** Shared by applications of one process that shall see each other. @default a registry of this application's own */
  readonly server?: MemoryRegistry;
  /** @default 'elastic-job' */
  readonly namespace?: string;
  /** @default 15_000 */
  readonly sessionTimeoutMs?: number;
  /** Longest wait for an answer, in milliseconds. @default 10_000 */
  readonly requestTimeoutMs?: number;
}

/** An ensemble, and how to reach it. */
export interface ZooKeeperRegistryOptions extends ZooKeeperOptions {
  readonly type: 'zookeeper';
}

/** What the module may say of a job over its decorator, anything but the name; or all of a job that has no class. */
export type JobOverrides = Partial<Omit<JobOptions, 'name'>> & {
  /** For a job without a class: what runs it, `HTTP` or one of `jobTypes`; its props say the rest. */
  readonly type?: string;
};

/** What `ElasticJobModule.forRoot` takes. */
export interface ElasticJobModuleOptions {
  /** @default { type: 'memory' } */
  readonly registry?: MemoryRegistryOptions | ZooKeeperRegistryOptions;
  /** False: this process connects, but registers and runs no jobs. @default true */
  readonly processing?: boolean;
  /**
   * By job name. Goes over the decorator's options and below the registry's `config` node. An entry with a `type` is a
   * job of its own, without a class.
   */
  readonly jobs?: Readonly<Record<JobName, JobOverrides>>;
  /**
   * What else than `HTTP` a job without a class can be, such as `new ScriptJobType()` of `nestjs-elastic-job/script`.
   * @default []
   */
  readonly jobTypes?: readonly JobType[];
  /** The application's own sharding strategies, which jobs name by their `type`. */
  readonly strategies?: readonly (ShardingStrategy | (new () => ShardingStrategy))[];
  /**
   * The dialect of jobs' `cron` where they do not name one, also of jobs that are created, and of edits by this
   * application. An edit may also have Quartz's text, as it is read. @default 'quartz'
   */
  readonly cronDialect?: CronDialect;
  /** True: `APP_GUARD`, `useGlobalPipes` and their siblings reach jobs as well. @default false */
  readonly globalEnhancers?: boolean;
  /** How long shutdown waits for running items before it aborts them, in milliseconds. @default 30_000 */
  readonly drainTimeoutMs?: number;
  /** Replaces `{pid}-{session}` in the instance id: for a StatefulSet's stable names. */
  readonly instanceId?: string;
  /**
   * Goes before the fencing token in every comparison; raise it when the ensemble was restored or replaced.
   * @default 0
   */
  readonly tokenEpoch?: number;
  /**
   * How long a Java peer is missing before its items fail over, in milliseconds: it vanishes for a moment whenever it
   * reconnects. @default 1_000
   */
  readonly javaReconnectGraceMs?: number;
  /**
   * How long a handler may go on after its signal has aborted before an alarm tells of it, in milliseconds.
   * @default 30_000
   */
  readonly hungGraceMs?: number;
  /**
   * How late a run may begin, from the instant at which it is due to its handler's first line, before a `late` event
   * tells of it, in milliseconds.
   * @default 5_000
   */
  readonly lateAfterMs?: number;
  /**
   * Guarded stores, such as a `SqlGuard`: start is refused if one has seen tokens that the registry has yet to reach,
   * as after the registry was restored or replaced; the error names the `tokenEpoch` that helps.
   * @default []
   */
  readonly fences?: readonly FencedStore[];
  /**
   * How far this host's clock may run ahead of the registry's before fire times wait until they are due by the
   * registry's, in milliseconds.
   * @default 10_000
   */
  readonly clockToleranceMs?: number;
  /**
   * What runs is aborted once the registry has not answered for so long, in milliseconds.
   * @default none: LOST decides
   */
  readonly suspendedGraceMs?: number;
  /**
   * Error handlers beyond the built-in ones, which jobs name as their `jobErrorHandlerType`: the application's own, and
   * those with an entry of their own, such as `new EmailErrorHandler()` of `nestjs-elastic-job/email`.
   * @default []
   */
  readonly errorHandlers?: readonly JobErrorHandler[];
  /**
   * Commands and addresses that an edit in the registry may lead jobs and error handlers to. Any other value of props
   * such as `script.command.line` and `http.uri` is told and not followed: the process's own stays in force.
   * @default none
   */
  readonly allowRegistryTargets?: AllowedRegistryTargets;
  /**
   * How long a channel such as EMAIL holds back failures of a kind that it has told, in milliseconds; then it tells
   * them as one, with their count.
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
   * Follows each run that is begun here, as `openTelemetryTracer()` of `nestjs-elastic-job/opentelemetry` does.
   * @default nobody does
   */
  readonly tracer?: RunTracer;
  /**
   * Takes secrets out of texts before they go to the log, a history, a channel or a span: messages and stacks of
   * errors, output of scripts, reasons, parameters of triggers. Listeners of this process hear the events as they are.
   * A text of which it throws is not shown.
   * @default texts go as they are
   */
  readonly redact?: Redact;
  /** Time, chance and host. @default those of this process */
  readonly clock?: Clock;
  /**
   * Who hears what happens to jobs: own sinks, a `SqlHistory`, and the log, which is there in any case; `{ type: 'log',
   * level: 'warn' }` says from which level on it writes, `'off'` that it does not. @default [{ type: 'log' }]
   */
  readonly tracing?: readonly (LogSinkOptions | JobEventSink)[];
  /**
   * Listeners around each run: those without a `type` of every job, the others of jobs that name it in
   * `jobListenerTypes`.
   * @default []
   */
  readonly listeners?: readonly ElasticJobListener[];
}
