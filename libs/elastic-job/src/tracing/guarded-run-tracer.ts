import {
  type Redact,
  redactOutcome,
  redactThrown,
  type RunTrace,
  type RunTracer,
  type SettledOutcome,
  type ShardingContext,
  type TracedRun,
  type TracedTask,
} from '../domain/index.js';

/**
 * Wraps a tracer so that its errors cannot affect a job.
 * @param redact applied to the errors that it gets. @default unchanged errors
 */
export function guardRunTracer(tracer: RunTracer, redact?: Redact): Required<RunTracer> {
  return {
    start: (trigger) => {
      const trace = attempt(() => tracer.start(trigger));
      return trace && new GuardedRunTrace(trace, redact);
    },
    within: (traceparent, handle) =>
      callOnce(handle, redact, (shown) => (tracer.within ? tracer.within(traceparent, shown) : undefined)),
  };
}

class GuardedRunTrace implements RunTrace {
  readonly traceparent: string | undefined;

  constructor(
    private readonly trace: RunTrace,
    private readonly redact: Redact | undefined,
  ) {
    this.traceparent = attempt(() => trace.traceparent);
  }

  begun(run: TracedRun): void {
    attempt(() => this.trace.begun(run));
  }

  aroundItem<Result>(context: ShardingContext, handle: () => Result): Result {
    return callOnce(handle, this.redact, (shown) => this.trace.aroundItem(context, shown));
  }

  traceparentOf(item: number): string | undefined {
    return attempt(() => this.trace.traceparentOf?.(item));
  }

  task(item: number, task: TracedTask): void {
    attempt(() => this.trace.task?.(item, task));
  }

  settled(item: number, outcome: SettledOutcome): void {
    const { redact } = this;
    attempt(() => this.trace.settled(item, redact ? redactOutcome(outcome, redact) : outcome));
  }

  ended(): void {
    attempt(() => this.trace.ended());
  }
}

/** Calls the handler exactly once, whatever the tracer does. The handler's result or error counts. */
function callOnce<Result>(handle: () => Result, redact: Redact | undefined, around: (shown: () => unknown) => void) {
  let handled: (() => Result) | undefined;
  const handleOnce = (): Result => {
    handled ??= callNow(handle);
    return handled();
  };
  attempt(() => around(redact === undefined ? handleOnce : () => redactFailure(handleOnce, redact)));
  return handleOnce();
}

/** Calls the work now. @returns a function that repeats its result or error */
function callNow<Result>(work: () => Result): () => Result {
  try {
    const result = work();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
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
    if (!(result instanceof Promise)) return result;
    const redacted = result.catch(fail);
    redacted.catch(() => {});
    return redacted;
  } catch (error) {
    return fail(error);
  }
}

function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
