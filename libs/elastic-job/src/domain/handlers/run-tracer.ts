import type { JobName } from '../cluster/index.js';
import type { SettledOutcome, ShardingContext, TracedTask, Trigger } from '../run/index.js';

/**
 * Follows the runs of this process, as a tracing library does with spans. It cannot affect them: nothing waits for it,
 * and it makes no request to the registry. Its errors, thrown or by a promise, are reported as `error` events.
 */
export interface RunTracer {
  /**
   * Called before a run is begun. If the begin is refused, no further call follows.
   * @returns undefined if the run is not followed
   */
  start(trigger: Trigger): RunTrace | undefined;
  /**
   * Calls the handler of an item in the process of its task, once per attempt, and returns the handler's result. Spans
   * of the handler belong to the item, which the scheduler's process follows.
   * @param traceparent of the item in its scheduler. @see RunTrace.traceparentOf
   * @default the handler is called
   */
  within?<Result>(traceparent: string, handle: () => Result): Result;
}

/** One run while it is followed: a lease of this instance, with its items. */
export interface RunTrace {
  /**
   * Name of this run for other processes, as in W3C's `traceparent` header; undefined if it has none. It stands in the
   * records of the items, where the instance that repeats a crashed run finds it.
   */
  readonly traceparent: string | undefined;
  /** Called when the items are begun. */
  begun(run: TracedRun): void;
  /** Calls the handler of an item, once per attempt, and returns the handler's result. */
  aroundItem<Result>(context: ShardingContext, handle: () => Result): Result;
  /**
   * Parent for the spans of the task that works on the item; undefined if there is none. Asked within `aroundItem`.
   * @default undefined
   */
  traceparentOf?(item: number): string | undefined;
  /** Called when a task works on the item, and again when it has ended. @default ignored */
  task?(item: number, task: TracedTask): void;
  /** Called when the outcome of an item is known, whether it was started or not. */
  settled(item: number, outcome: SettledOutcome): void;
  /** Called last, when every item is settled and the listeners have been called. */
  ended(): void;
}

/** A run that has begun. */
export interface TracedRun {
  readonly jobName: JobName;
  /** Name of the begin in the records of the items; undefined without `monitorExecution`. */
  readonly run: string | undefined;
  /** Ascending. */
  readonly items: readonly number[];
  /** The `traceparent` of the run that each item repeats, without items that repeat none or an untraced one. */
  readonly repeated: ReadonlyMap<number, string>;
}
