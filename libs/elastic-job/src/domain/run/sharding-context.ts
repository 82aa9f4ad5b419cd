import type { JobName } from '../cluster/index.js';
import type { Checkpoint } from './checkpoint.js';
import type { ExecutionSource, Target } from './trigger.js';

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
   * request, and for a re-run the past instant that was asked for.
   */
  readonly fireTime: Date;
  readonly source: ExecutionSource;
  /**
   * Origin of the run: `schedule`, also for a resident job, or an operator's trigger or re-run, with its parameters.
   */
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
  /** Progress of the item, kept from run to run in the registry and fenced by the token. A re-run has none. */
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

/** The run of an item, as its begin was written. */
export interface BegunItem {
  /** Name of the begin in the item's record. */
  readonly run: string;
  readonly target: Target;
  /** Milliseconds since the epoch. */
  readonly begunAt: number;
  /** For work in tasks: number of the launch for the target, from 1. */
  readonly launch: number;
  /**
   * How long this instance may still act for the item without further news, in milliseconds; 0: not now, or no longer.
   */
  heldForMs(): number;
  /** How long others leave the item alone after that, in milliseconds: what acts for it must end within this time. */
  readonly lossGraceMs: number;
  /** True once the session of the run is over: others may have the item. */
  isLost(): boolean;
  /**
   * Asks the registry whether the item's record still shows this run: false once another instance has begun the item.
   * Any pause may lie before the call.
   */
  isLatest(): Promise<boolean>;
  /**
   * Signal, created by the call, for a run that has been told to stop and waits for the end of its executor. It aborts
   * when there is nothing more to wait for: an operator has confirmed that the executor is gone
   * (`ExecutorDeathError`), or the session is over.
   */
  lastSignal(): AbortSignal;
  /**
   * Call this once the task belongs to this run: the signal aborts if a former run that has followed it was told to
   * stop for good. Not before, since the task would then be left to itself.
   */
  onAdopted(): void;
  /** For work in tasks, while a tracer follows the run. */
  readonly trace?: ItemTrace;
}

/** A task, as a tracer sees it. */
export interface TracedTask {
  /** Its name in the backend, unique for each launch. */
  readonly id: string;
  readonly backend: string;
  /** Number of the launch for its target, from 1. */
  readonly launch: number;
  /** True if another scheduler has launched it. */
  readonly isAdopted: boolean;
  /** Its state, in ElasticJob-Cloud's words. */
  readonly state: string;
  /** Its machine, if known. */
  readonly node: string | undefined;
  /** Exit code of a process that has ended by itself. */
  readonly exitCode: number | undefined;
}

/** Trace of an item whose work is done by a task. */
export interface ItemTrace {
  /** Parent for the task's spans, as in W3C's `traceparent` header; undefined if there is none. */
  readonly traceparent: string | undefined;
  /** Reports that the task belongs to this run, and later that it has ended. */
  task(task: TracedTask): void;
}
