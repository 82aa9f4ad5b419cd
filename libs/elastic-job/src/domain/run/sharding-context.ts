import type { Checkpoint } from './checkpoint.js';
import type { JobName } from '../cluster/index.js';
import type { BegunItem } from './shard-outcome.js';
import type { ExecutionSource } from './trigger.js';

/** What a handler is told about the item that it runs. One context per item and run. */
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
   * The scheduled instant this run stands for, not when it happened to start; an operator's trigger: when it was asked
   * for.
   */
  readonly fireTime: Date;
  readonly source: ExecutionSource;
  /**
   * What asked for the run: the schedule (and where a job is resident, nobody), or an operator, with what was passed
   * along.
   */
  readonly trigger: 'schedule' | { readonly id: string; readonly parameters: string | undefined };
  /** 1, and more for retries within the lease. */
  readonly attempt: number;
  /**
   * Aborts on timeout, on an operator's cancel, on shutdown's deadline, or when this instance may no longer own the
   * item; its reason says which. It cannot abort while the handler blocks the event loop; `assertHeld` tells the truth
   * also then.
   */
  readonly signal: AbortSignal;
  /** Fencing token: grows with every run of the item. Undefined without `monitorExecution`. */
  readonly token: bigint | undefined;
  /** Goes before the token in every comparison. */
  readonly tokenEpoch: number;
  /** How far the item has come, kept from run to run in the registry and fenced by the token. */
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
   * True once the item belongs to another instance, or beside Java once resharding waits for this run: long work that
   * can stop between two steps does so now, and what is left goes on there. Never where others are started after the
   * job, which wait for all of the work. Asks no registry. The lease itself stands.
   */
  isMoving(): boolean;
}

/** Runs one item. What it returns is awaited and ignored; what it throws is the item's outcome. */
export type JobHandler = (context: ShardingContext) => unknown;

/**
 * The same for work that is told more of its run.
 * @param begun undefined without `monitorExecution`
 */
export type ItemWork = (context: ShardingContext, begun?: BegunItem) => unknown;
