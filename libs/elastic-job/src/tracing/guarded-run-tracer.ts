import { inOwnContext } from '../async-context/index.js';
import {
  handled,
  handleRejection,
  isThenable,
  readable,
  type Redact,
  redactContext,
  redactOutcome,
  redactThrown,
  redactTrigger,
  type RunTrace,
  type RunTracer,
  type SettledOutcome,
  type ShardingContext,
  type TracedRun,
  type TracedTask,
} from '../domain/index.js';
import { freezeGiven } from './job-events.js';
import type { JobEvent } from './job-event.js';

/** Length of W3C's `traceparent`, for which the record of an item has room. */
const LONGEST_NAME = 55;

/** Conditions of a guard. */
export interface TracerGuard {
  /** Applied to the errors, parameters and props that the tracer gets. @default they are unchanged */
  readonly redact?: Redact | undefined;
  /** Receives the failures of the tracer, by the name of the call. @default they are ignored */
  readonly onError?: (call: keyof RunTracer | keyof RunTrace, error: unknown) => void;
}

/** The event of a call that has failed. */
export function tracerFailed(call: string, error: unknown): JobEvent {
  return { kind: 'error', jobName: undefined, message: `the tracer failed at "${call}"`, error };
}

/** Wraps a tracer so that neither its errors, thrown or by a promise, nor changes of what it is given affect a job. */
export function guardRunTracer(tracer: RunTracer, guard: TracerGuard = {}): Required<RunTracer> {
  const calls = new GuardedCalls(guard);
  const { redact } = guard;
  return {
    start: (trigger) => {
      const trace = calls.make('start', () =>
        tracer.start(freezeGiven(redact ? redactTrigger(trigger, redact) : trigger)),
      );
      return trace && new GuardedRunTrace(trace, calls, redact);
    },
    within: (traceparent, handle) =>
      calls.around('within', handle, (shown) => (tracer.within ? tracer.within(traceparent, shown) : shown())),
  };
}

class GuardedRunTrace implements RunTrace {
  readonly traceparent: string | undefined;

  constructor(
    private readonly trace: RunTrace,
    private readonly calls: GuardedCalls,
    private readonly redact: Redact | undefined,
  ) {
    this.traceparent = calls.make('traceparent', () => traceName(trace.traceparent));
  }

  begun(run: TracedRun): void {
    this.calls.make('begun', () => this.trace.begun(freezeGiven(run)));
  }

  aroundItem<Result>(context: ShardingContext, handle: () => Result): Result {
    const { redact } = this;
    return this.calls.around('aroundItem', handle, (shown) =>
      this.trace.aroundItem(redact ? redactContext(context, redact) : context, shown),
    );
  }

  traceparentOf(item: number): string | undefined {
    return this.calls.make('traceparentOf', () => traceName(this.trace.traceparentOf?.(item)));
  }

  task(item: number, task: TracedTask): void {
    this.calls.make('task', () => this.trace.task?.(item, freezeGiven(task)));
  }

  settled(item: number, outcome: SettledOutcome): void {
    const { redact } = this;
    this.calls.make('settled', () =>
      this.trace.settled(item, freezeGiven(redact ? redactOutcome(outcome, redact) : outcome)),
    );
  }

  ended(): void {
    this.calls.make('ended', () => this.trace.ended());
  }
}

/** Calls of one tracer. Nothing waits for them, and they never throw. */
class GuardedCalls {
  constructor(private readonly guard: TracerGuard) {}

  make<Result>(name: keyof RunTracer | keyof RunTrace, call: () => Result): Result | undefined {
    const fail = (error: unknown) => this.guard.onError?.(name, error);
    try {
      const result = inOwnContext(call);
      handleRejection(result, fail);
      return result;
    } catch (error) {
      fail(error);
      return undefined;
    }
  }

  /** Calls the handler exactly once, whatever the tracer does. The handler's result or error counts. */
  around<Result>(
    name: keyof RunTracer | keyof RunTrace,
    handle: () => Result,
    call: (shown: () => unknown) => unknown,
  ): Result {
    const { onError, redact } = this.guard;
    let once: (() => Result) | undefined;
    const handleOnce = (): Result => (once ??= callNow(handle))();
    const shown = redact === undefined ? handleOnce : () => redactFailure(handleOnce, redact);
    // A tracer passes on the failure of the handler, which is not its own.
    const fail = (error: unknown): void => void unlessFailed(handleOnce, () => onError?.(name, readable(error)));
    try {
      handleRejection(call(shown), fail);
    } catch (error) {
      fail(error);
    }
    return handleOnce();
  }
}

/** Calls `then` if the work succeeds. Never rejects. */
async function unlessFailed(work: () => unknown, then: () => void): Promise<void> {
  try {
    await work();
  } catch {
    return;
  }
  then();
}

/**
 * Calls the work now, and follows what it returns once: each call of `then` of a query builder runs its query.
 * @returns a function that repeats its result or error
 */
function callNow<Result>(work: () => Result): () => Result {
  try {
    const result = followed(work());
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** A promise for a thenable; anything else as it is. */
function followed<Result>(result: Result): Result;
function followed(result: unknown): unknown {
  return isThenable(result) ? Promise.resolve(result) : result;
}

/**
 * Returns the work's result. Its error, thrown or by a promise, is redacted, and its promise never counts as unhandled.
 */
function redactFailure(work: () => unknown, redact: Redact): unknown {
  const fail = (error: unknown): never => {
    throw redactThrown(error, redact);
  };
  try {
    const result = work();
    // No `await`: a tracer gets no promise of a handler that has returned none.
    return isThenable(result) ? handled(Promise.resolve(result).catch(fail)) : result;
  } catch (error) {
    return fail(error);
  }
}

/** @throws {TypeError} if it is no name for a run */
function traceName(name: unknown): string | undefined {
  if (name === undefined || (typeof name === 'string' && name.length <= LONGEST_NAME)) return name;
  throw new TypeError(`A traceparent is a text of at most ${LONGEST_NAME} characters, or undefined.`);
}
