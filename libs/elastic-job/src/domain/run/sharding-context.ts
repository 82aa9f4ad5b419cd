import type { Checkpoint } from './checkpoint.js';
import type { JobName } from '../cluster/index.js';
import type { BegunItem } from './shard-outcome.js';
import type { ExecutionSource } from './trigger.js';

/** Facts about the item that a handler runs. One context per item and run. */
export interface ShardingContext {
  readonly jobName: JobName;
  /** ElasticJob's task id: `{job}@-@{items}@-@READY@-@{instance id}`. */
  readonly taskId: string;
  readonly jobParameter: string;
  readonly shardingTotalCount: number;
  /** This item, counted from 0. */
  readonly shardingItem: number;
  /** This item's entry of `shardingItemParameters`. */
  readonly shardingParameter: string | undefined;
  /**
   * The scheduled instant of this run, not the moment of its start; for an operator's trigger the instant of the
   * request.
   */
  readonly fireTime: Date;
  readonly source: ExecutionSource;
  /** Origin of the run: `schedule`, also for a resident job, or an operator's trigger with its parameters. */
  readonly trigger: 'schedule' | { readonly id: string; readonly parameters: string | undefined };
  /** Number of the attempt: 1, and more for retries within the lease. */
  readonly attempt: number;
  /**
   * Aborts on timeout, on an operator's cancel, at shutdown's deadline, or when this instance may no longer own the
   * item; its reason says which. It cannot abort while the handler blocks the event loop; `assertHeld` is exact even
   * then.
   */
  readonly signal: AbortSignal;
  /** Fencing token: grows with every run of the item. Undefined without `monitorExecution`. */
  readonly token: bigint | undefined;
  /** Compared before the token, always. */
  readonly tokenEpoch: number;
  /** Progress of the item, kept from run to run in the registry and fenced by the token. */
  readonly checkpoint: Checkpoint;
  /** The job's `props` as they were in force when the run began. */
  readonly props: Readonly<Record<string, string>>;
  /**
   * Returns if this instance may still act for the item. Synchronous, so also right after a pause, and never later than
   * the signal.
   * @throws {LeaseLostError} if it may not.
   */
  assertHeld(): void;
  /**
   * True once the item belongs to another instance, or, beside Java, once resharding waits for this run. Long work that
   * can stop between two steps should stop then: the rest goes on with the new owner. Always false if other jobs start
   * after this one, since they wait for all of the work. Makes no request. The lease stays valid.
   */
  isMoving(): boolean;
}

/** Runs one item. A returned promise is awaited and its value ignored; a thrown value is the item's outcome. */
export type JobHandler = (context: ShardingContext) => unknown;

/**
 * A handler that also learns about its begin.
 * @param begun undefined without `monitorExecution`
 */
export type ItemWork = (context: ShardingContext, begun?: BegunItem) => unknown;
