import type { Abortable } from '../../clock/index.js';
import type {
  BegunItem,
  Checkpoint,
  JobName,
  Requeue,
  RunTrace,
  SettledOutcome,
  ShardOutcome,
  Trigger,
} from '../../domain/index.js';

/**
 * The right to run some items of a job for one trigger. Only the instance that begins holds the lease, and only the
 * lease settles. There is one way to get a lease (`Executions.begin`, also used by a failover claim) and one way to
 * finish it.
 */
export interface ExecutionLease {
  readonly jobName: JobName;
  readonly trigger: Trigger;
  /** The instance id of the holder. */
  readonly holder: string;
  /** Id of the begin, as in the records of the items; undefined without `monitorExecution`. */
  readonly run: string | undefined;
  /** Task id of all runs under this lease. @see formatTaskId */
  readonly taskId: string;
  /** Trace of the run; undefined if it is not traced. */
  readonly trace?: RunTrace;
  /** Ascending. */
  readonly items: readonly number[];
  /** Aborts when this instance may no longer act for any of the items. The reason tells why. */
  readonly signal: AbortSignal;
  /** The fencing token of an item; undefined without `monitorExecution`. */
  token(item: number): bigint | undefined;
  /** Data that the item's begin has written; undefined without `monitorExecution`. */
  begun(item: number): BegunItem | undefined;
  /** Aborts with `signal`, or alone if the item's time is over or an operator cancels it. The first reason stands. */
  signalOf(item: number): AbortSignal;
  /** Same as `signalOf`, without creating a signal. */
  endingOf(item: number): Abortable;
  /** False while the registry does not answer. Items that have not started must wait. */
  readonly mayStart: boolean;
  /** Calls back when the registry answers again. @returns a function that removes the listener */
  onMayStart(listener: () => void): () => void;
  /**
   * @throws {LeaseLostError} if the item may no longer be acted for; the cause is the signal's reason, if it has
   * aborted
   */
  assertHeld(item: number): void;
  /** The item's checkpoint for this run. */
  checkpoint(item: number): Checkpoint;
  /**
   * True once another instance owns the item, or a Java peer waits for the end of the run. @see
   * ShardingContext.isMoving
   */
  isMoving(item: number): boolean;
  /** Aborts all signals. Items that return later are settled as aborted, unless the session is lost. */
  abort(reason: unknown): void;
  /** Aborts the signal of one item; the others go on. */
  abortItem(item: number, reason: unknown): void;
  /** Records that an operator has confirmed the end of an item's executor, which might still have been running. */
  confirmLost(item: number): void;
  /** Reports the end of an item, which joins the next settle transaction. Call once for each item. */
  settle(item: number, outcome: ShardOutcome): void;
  /** Further treatment of an item that was settled without being done. Final once that settle is recorded. */
  requeueOf(item: number): Requeue;
  /** Hears the final outcome of each item, once. There is one listener; a later one replaces it. */
  onSettled(listener: (item: number, outcome: SettledOutcome) => void): void;
  /** Resolves with the outcome of each item when all are settled. Never rejects: a failed settle is an outcome. */
  settled(): Promise<ReadonlyMap<number, SettledOutcome>>;
}
