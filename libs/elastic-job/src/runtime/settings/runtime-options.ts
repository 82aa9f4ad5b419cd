import type { Clock } from '../../clock/index.js';
import type { StrategyLookup } from '../../coordination/index.js';
import type {
  AllowedRegistryTargets,
  CronDialect,
  ElasticJobListener,
  FencedStore,
  JobDefaults,
  JobErrorHandler,
  Redact,
  RunTracer,
} from '../../domain/index.js';
import { DEFAULT_ERROR_WINDOW_MS, DEFAULT_HUNG_GRACE_MS, type WorkerPool } from '../../executor/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import { guardRunTracer, type TracerGuard } from '../../tracing/index.js';

export interface RuntimeOptions {
  readonly registry: RegistryCenter;
  readonly clock: Clock;
  /** False connects to the registry, but registers and runs no job. @default true */
  readonly processing?: boolean;
  /** Milliseconds for which running items may go on after a shutdown began. @default 30_000 */
  readonly drainTimeoutMs?: number;
  /** Longest wait for the registry at start, in milliseconds. @default 9_000 */
  readonly connectionTimeoutMs?: number;
  /** Replaces `{pid}-{session}` in the instance id, for stable names. Must be unique among the live instances. */
  readonly instanceId?: string;
  /** Release of the application, which its label in the registry names. @default none */
  readonly version?: string;
  /** Prefix of every fencing token. Raise it when the registry's data was restored or replaced. @default 0 */
  readonly tokenEpoch?: number;
  /** Milliseconds for which a leader waits for further changes before it reshards. @default 100 */
  readonly reshardDelayMs?: number;
  /**
   * Milliseconds after which a missing Java peer counts as crashed, as it deletes and re-creates its instance node at
   * every reconnect.
   * @default 1_000
   */
  readonly javaReconnectGraceMs?: number;
  /**
   * Milliseconds for which a handler may go on after its signal has aborted before a `hung` event reports it.
   * @default 30_000
   */
  readonly hungGraceMs?: number;
  /**
   * Longest delay, in milliseconds, from the instant at which a run is due to its handler's first line, before a `late`
   * event reports it.
   * @default 5_000
   */
  readonly lateAfterMs?: number;
  /**
   * Milliseconds without an answer from the registry after which running items are aborted.
   * @default none: running items go on until the session is lost
   */
  readonly suspendedGraceMs?: number;
  /**
   * Milliseconds by which this host's clock may run ahead of the registry's. Beyond it, fire times wait until they are
   * due by the registry's clock.
   * @default 10_000
   */
  readonly clockToleranceMs?: number;
  /** Guarded stores. A job does not start if one of them is ahead of the registry. @default [] */
  readonly fences?: readonly FencedStore[];
  /**
   * Listeners called around each run of every job; one with a type only for jobs that name it in `jobListenerTypes`.
   * @default []
   */
  readonly listeners?: readonly ElasticJobListener[];
  /** Users' own sharding strategies, by type. */
  readonly strategies?: StrategyLookup;
  /** Dialect of jobs that `JobRegistrar.add` receives without one. @default 'quartz' */
  readonly cronDialect?: CronDialect;
  /** Settings of jobs that `JobRegistrar.add` receives without them. @default the library's */
  readonly defaults?: JobDefaults;
  /** Users' own error handlers, which jobs name by their types. @default [] */
  readonly errorHandlers?: readonly JobErrorHandler[];
  /** Commands and addresses to which an edit in the registry may direct jobs and error handlers. @default none */
  readonly allowRegistryTargets?: AllowedRegistryTargets;
  /**
   * Milliseconds for which failures of one kind are held back after one was told through a channel.
   * @default 300_000
   */
  readonly errorWindowMs?: number;
  /** Pool for jobs with `isolation: 'worker-thread'`; closed at the end. @default none */
  readonly workerPool?: WorkerPool;
  /** Traces each run that is begun here. @default none */
  readonly tracer?: RunTracer;
  /** Filters texts before a channel or the tracer gets them. @default no filter */
  readonly redact?: Redact;
}

const DEFAULT_CLOCK_TOLERANCE_MS = 10_000;
const DEFAULT_LATE_AFTER_MS = 5_000;

type WithoutDefault =
  | 'cronDialect'
  | 'defaults'
  | 'instanceId'
  | 'redact'
  | 'strategies'
  | 'suspendedGraceMs'
  | 'tracer'
  | 'version'
  | 'workerPool';

export type ResolvedRuntimeOptions = Required<Omit<RuntimeOptions, WithoutDefault>> &
  Pick<RuntimeOptions, WithoutDefault>;

/** @param onTracerError called with the failures of the tracer. @default they are ignored */
export function resolveRuntimeOptions(
  options: RuntimeOptions,
  onTracerError?: TracerGuard['onError'],
): ResolvedRuntimeOptions {
  return Object.freeze({
    ...options,
    processing: options.processing ?? true,
    drainTimeoutMs: options.drainTimeoutMs ?? 30_000,
    connectionTimeoutMs: options.connectionTimeoutMs ?? 9_000,
    tokenEpoch: options.tokenEpoch ?? 0,
    reshardDelayMs: options.reshardDelayMs ?? 100,
    javaReconnectGraceMs: options.javaReconnectGraceMs ?? 1_000,
    clockToleranceMs: options.clockToleranceMs ?? DEFAULT_CLOCK_TOLERANCE_MS,
    fences: options.fences ?? [],
    listeners: options.listeners ?? [],
    hungGraceMs: options.hungGraceMs ?? DEFAULT_HUNG_GRACE_MS,
    lateAfterMs: options.lateAfterMs ?? DEFAULT_LATE_AFTER_MS,
    errorHandlers: options.errorHandlers ?? [],
    allowRegistryTargets: options.allowRegistryTargets ?? {},
    errorWindowMs: options.errorWindowMs ?? DEFAULT_ERROR_WINDOW_MS,
    tracer: options.tracer && guardRunTracer(options.tracer, { redact: options.redact, onError: onTracerError }),
  });
}
