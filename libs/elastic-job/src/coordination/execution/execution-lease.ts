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
 * The right to run some items of a job for one trigger. Whoever begins holds the lease, and only the lease settles.
 * There is one way to get one (`Executions.begin`, which a failover claim uses as well) and one way to finish it.
 */
export interface ExecutionLease {
  readonly jobName: JobName;
  readonly trigger: Trigger;
  /** The instance id of the holder. */
  readonly holder: string;
  /** Names the begin in the records of the items; undefined without `monitorExecution`. */
  readonly run: string | undefined;
  /** The task id of what runs under it. @default ElasticJob's, of job, items and holder */
  readonly taskId?: string;
  /** What follows the run; undefined: nobody does. */
  readonly trace?: RunTrace;
  /** Ascending. */
  readonly items: readonly number[];
  /** Aborts when this instance may no longer act for any of the items; the reason says why. */
  readonly signal: AbortSignal;
  /** The fencing token of an item; undefined without `monitorExecution`. */
  token(item: number): bigint | undefined;
  /** What its begin has written; undefined without `monitorExecution`. */
  begun(item: number): BegunItem | undefined;
  /** Aborts with `signal`, or alone: its time is over, or an operator has cancelled it. The first reason stands. */
  signalOf(item: number): AbortSignal;
  /** The same, for those that need no signal. */
  endingOf(item: number): Abortable;
  /** False while the registry does not answer: an item that has not been started waits. */
  readonly mayStart: boolean;
  /** Calls back when the registry answers again. @returns a function that ends it */
  onMayStart(listener: () => void): () => void;
  /**
   * @throws {LeaseLostError} if the item may no longer be acted for; its cause is the reason of the signal, if that
   * aborted.
   */
  assertHeld(item: number): void;
  /** The item's checkpoint, as this run reads and writes it. */
  checkpoint(item: number): Checkpoint;
  /** True once the item is another instance's, or a Java peer waits for the run's end. @see ShardingContext.isMoving */
  isMoving(item: number): boolean;
  /** Aborts every signal. Items that return later are settled as aborted, unless the session is lost. */
  abort(reason: unknown): void;
  /** Aborts the signal of one item; the others go on. */
  abortItem(item: number, reason: unknown): void;
  /** An operator has confirmed that the executor of an item, which may have run still, is gone. */
  confirmLost(item: number): void;
  /** Reports that an item has ended; the news joins the next settle transaction. Call once for each item. */
  settle(item: number, outcome: ShardOutcome): void;
  /** What becomes of an item that was settled without being done; true once that settle is recorded. */
  requeueOf(item: number): Requeue;
  /** Hears of each item, once, when it is known what became of it. One listener; a later one replaces it. */
  onSettled(listener: (item: number, outcome: SettledOutcome) => void): void;
  /** Resolves when every item is settled, with what became of each. Never rejects: a failed settle is an outcome. */
  settled(): Promise<ReadonlyMap<number, SettledOutcome>>;
}
