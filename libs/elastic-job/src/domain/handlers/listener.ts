import type { JobName } from '../cluster/index.js';
import type { ExecutionSource, GuaranteePhase } from '../run/index.js';

/** What a listener is told about a run: the items of this instance, all together. */
export interface ShardingContexts {
  readonly jobName: JobName;
  /** ElasticJob's task id: `{job}@-@{items}@-@READY@-@{instance id}`. */
  readonly taskId: string;
  readonly shardingTotalCount: number;
  readonly jobParameter: string;
  /** The items that this instance is about to run, or has run, each with its entry of `shardingItemParameters`. */
  readonly shardingItemParameters: ReadonlyMap<number, string | undefined>;
  /** The scheduled instant this run stands for. */
  readonly fireTime: Date;
  readonly source: ExecutionSource;
  /** Aborts when this instance may no longer act for any of the items. */
  readonly signal: AbortSignal;
}

/** Where the items of a run, on whichever instances they are, wait for each other. */
export interface RunBarrier {
  /**
   * Resolves when every item that can run has come as far; the instance that comes last has then called `atLast`,
   * alone. Who comes after that does not wait.
   * @param timeoutMs longest wait, in milliseconds
   * @throws {GuaranteeTimeoutError} @throws what `atLast` throws, if it was called here @throws the signal's reason
   */
  meet(phase: GuaranteePhase, timeoutMs: number, atLast: () => unknown): Promise<void>;
}

/**
 * Is called around each run of a job on this instance. What it throws is reported; the run goes on.
 * @see ElasticJob, `ElasticJobListener`
 */
export interface ElasticJobListener {
  /**
   * Jobs that name it in `jobListenerTypes` have this listener. Without a type every job that it is given to has it.
   */
  readonly type?: string;
  /** Listeners with a lower order are called first, before the run and after it. @default 2147483647 */
  readonly order?: number;
  /** The items are begun; no handler has started. What it returns is awaited. */
  beforeJobExecuted(contexts: ShardingContexts, barrier: RunBarrier): unknown;
  /** The items are settled. What it returns is awaited. */
  afterJobExecuted(contexts: ShardingContexts, barrier: RunBarrier): unknown;
}

/** Longest wait of a distribute-once listener unless it says otherwise, in milliseconds. */
const DEFAULT_TIMEOUT_MS = 60_000;

/**
 * Does something once for all items of a run: before the first handler starts anywhere, and after the last one has
 * ended. All instances wait for each other at both points.
 * @see ElasticJob, `AbstractDistributeOnceElasticJobListener`
 */
export abstract class DistributeOnceElasticJobListener implements ElasticJobListener {
  readonly type?: string;
  readonly order?: number;

  /**
   * @param startedTimeoutMs longest wait until all have begun, in milliseconds
   * @param completedTimeoutMs longest wait until all have ended, in milliseconds
   */
  constructor(
    readonly startedTimeoutMs = DEFAULT_TIMEOUT_MS,
    readonly completedTimeoutMs = DEFAULT_TIMEOUT_MS,
  ) {}

  /** Called on the instance that begins last, while all others wait. */
  abstract doBeforeJobExecutedAtLastStarted(contexts: ShardingContexts): unknown;
  /** Called on the instance that ends last, while all others wait. */
  abstract doAfterJobExecutedAtLastCompleted(contexts: ShardingContexts): unknown;

  beforeJobExecuted(contexts: ShardingContexts, barrier: RunBarrier): Promise<void> {
    const atLast = () => this.doBeforeJobExecutedAtLastStarted(contexts);
    return barrier.meet('started', this.startedTimeoutMs, atLast);
  }

  afterJobExecuted(contexts: ShardingContexts, barrier: RunBarrier): Promise<void> {
    const atLast = () => this.doAfterJobExecutedAtLastCompleted(contexts);
    return barrier.meet('completed', this.completedTimeoutMs, atLast);
  }
}
