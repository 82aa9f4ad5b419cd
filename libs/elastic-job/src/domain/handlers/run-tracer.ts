import type { JobName } from '../cluster/index.js';
import type { SettledOutcome, ShardingContext, TracedTask, Trigger } from '../run/index.js';

/**
 * Follows the runs of this process, as a tracing library does with its spans. It answers nobody: what it throws is
 * dropped, nothing waits for it, and it makes no request to the registry.
 */
export interface RunTracer {
  /**
   * A run is about to be begun, unless it is refused: then nothing more is told of it.
   * @returns undefined: it is not followed
   */
  start(trigger: Trigger): RunTrace | undefined;
  /**
   * In the process of a task: calls the handler of its item and returns what that does, again for each attempt. What
   * the handler traces belongs to the item, which is followed elsewhere.
   * @param traceparent of the item in its scheduler. @see RunTrace.traceparentOf
   * @default the handler is called
   */
  within?<Result>(traceparent: string, handle: () => Result): Result;
}

/** One run while it is followed: a lease of this instance, with its items. */
export interface RunTrace {
  /**
   * How others name this run, as W3C's `traceparent` header does; undefined: they cannot. It stands in the records of
   * the items, where the instance that repeats a crashed run finds it.
   */
  readonly traceparent: string | undefined;
  /** The items are begun. */
  begun(run: TracedRun): void;
  /** Calls the handler of an item and returns what that does: again for each attempt. */
  aroundItem<Result>(context: ShardingContext, handle: () => Result): Result;
  /**
   * How the task that does the work of an item names what follows that item; undefined: it cannot. Asked within
   * `aroundItem`.
   * @default undefined
   */
  traceparentOf?(item: number): string | undefined;
  /** The work of an item is done by this task; told again as it has ended. @default nothing is kept of it */
  task?(item: number, task: TracedTask): void;
  /** It is known what became of an item, started or not. */
  settled(item: number, outcome: SettledOutcome): void;
  /** Every item is settled, and the listeners are told. Called last. */
  ended(): void;
}

/** What is known of a run once it has begun. */
export interface TracedRun {
  readonly jobName: JobName;
  /** Names the begin in the records of the items; undefined without `monitorExecution`. */
  readonly run: string | undefined;
  /** Ascending. */
  readonly items: readonly number[];
  /**
   * The `traceparent` of the run that each item repeats; without those that repeat none, or one that nobody followed.
   */
  readonly repeated: ReadonlyMap<number, string>;
}
