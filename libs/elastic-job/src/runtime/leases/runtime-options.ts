// Covered by test/scenario/shutdown-bounds.spec.ts
import type { Clock } from '../../clock/index.js';
import type { StrategyLookup } from '../../coordination/index.js';
import type {
  AllowedRegistryTargets,
  CronDialect,
  ElasticJobListener,
  FencedStore,
  JobErrorHandler,
  Redact,
  RunTracer,
} from '../../domain/index.js';
import { DEFAULT_ERROR_WINDOW_MS, DEFAULT_HUNG_GRACE_MS, type WorkerPool } from '../../executor/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import { guardRunTracer } from '../../tracing/index.js';

export interface RuntimeOptions {
  readonly registry: RegistryCenter;
  readonly clock: Clock;
  /** False: connects, but registers and runs no job. @default true */
  readonly processing?: boolean;
  /** How long running items may go on after shutdown began, in milliseconds. @default 30_000 */
  readonly drainTimeoutMs?: number;
  /** Longest wait for the registry at start, in milliseconds. @default 9_000 */
  readonly connectionTimeoutMs?: number;
  /** Replaces `{pid}-{session}` in the instance id, for stable names. Unique among the live instances. */
  readonly instanceId?: string;
  /** Goes before every fencing token; raise it when the registry's data was restored or replaced. @default 0 */
  readonly tokenEpoch?: number;
  /** How long a leader waits for further changes before it reshards, in milliseconds. @default 100 */
  readonly reshardDelayMs?: number;
  /**
   * How long a Java peer is missing before it is taken for crashed, in milliseconds: it deletes and re-creates its
   * instance node at every reconnect.
   * @default 1_000
   */
  readonly javaReconnectGraceMs?: number;
  /**
   * How long a handler may go on after its signal has aborted before a `hung` event tells of it, in milliseconds.
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
   * What runs is aborted once the registry has not answered for so long, in milliseconds.
   * @default none: running items go on until the session is lost
   */
  readonly suspendedGraceMs?: number;
  /**
   * How far this host's clock may run ahead of the registry's before fire times wait until they are due by the
   * registry's, in milliseconds.
   * @default 10_000
   */
  readonly clockToleranceMs?: number;
  /** Guarded stores: a job does not start if one of them is ahead of the registry. @default [] */
  readonly fences?: readonly FencedStore[];
  /** Called around each run of every job; those with a type, of jobs that name it in `jobListenerTypes`. @default [] */
  readonly listeners?: readonly ElasticJobListener[];
  /** Users' own sharding strategies, by type. */
  readonly strategies?: StrategyLookup;
  /** That of jobs that `JobRegistrar.add` is given without one. @default 'quartz' */
  readonly cronDialect?: CronDialect;
  /** Users' own error handlers, which jobs name by their type. @default [] */
  readonly errorHandlers?: readonly JobErrorHandler[];
  /** Commands and addresses that an edit in the registry may lead jobs and error handlers to. @default none */
  readonly allowRegistryTargets?: AllowedRegistryTargets;
  /**
   * How long failures of one kind are held back after one was told through a channel, in milliseconds.
   * @default 300_000
   */
  readonly errorWindowMs?: number;
  /** For jobs with `isolation: 'worker-thread'`; closed at the end. @default none */
  readonly workerPool?: WorkerPool;
  /** Follows each run that is begun here. @default nobody does */
  readonly tracer?: RunTracer;
  /** Goes over texts that a channel or the tracer is told. @default they are told as they are */
  readonly redact?: Redact;
}

const DEFAULT_CLOCK_TOLERANCE_MS = 10_000;
const DEFAULT_LATE_AFTER_MS = 5_000;

type WithoutDefault =
  'cronDialect' | 'instanceId' | 'redact' | 'strategies' | 'suspendedGraceMs' | 'tracer' | 'workerPool';

export type ResolvedRuntimeOptions = Required<Omit<RuntimeOptions, WithoutDefault>> &
  Pick<RuntimeOptions, WithoutDefault>;

export function resolveRuntimeOptions(options: RuntimeOptions): ResolvedRuntimeOptions {
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
    tracer: options.tracer && guardRunTracer(options.tracer, options.redact),
  });
}
