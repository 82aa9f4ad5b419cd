import type { RunTrace, RunTracer, SettledOutcome, ShardingContext, TracedRun } from '../domain/index.js';

/** The tracer, without what it throws: a broken one must not change what a job does. */
export function guardRunTracer(tracer: RunTracer): RunTracer {
  return {
    start: (trigger) => {
      const trace = attempt(() => tracer.start(trigger));
      return trace && new GuardedRunTrace(trace);
    },
  };
}

class GuardedRunTrace implements RunTrace {
  readonly traceparent: string | undefined;

  constructor(private readonly trace: RunTrace) {
    this.traceparent = attempt(() => trace.traceparent);
  }

  begun(run: TracedRun): void {
    attempt(() => this.trace.begun(run));
  }

  /** The handler is called once, whatever the tracer does, and what it returns or throws is what counts. */
  aroundItem<Result>(context: ShardingContext, handle: () => Result): Result {
    let handled: (() => Result) | undefined;
    const handleOnce = (): Result => {
      handled ??= settle(handle);
      return handled();
    };
    attempt(() => this.trace.aroundItem(context, handleOnce));
    return handleOnce();
  }

  settled(item: number, outcome: SettledOutcome): void {
    attempt(() => this.trace.settled(item, outcome));
  }

  ended(): void {
    attempt(() => this.trace.ended());
  }
}

/** Calls it now. @returns what returns or throws the same again */
function settle<Result>(work: () => Result): () => Result {
  try {
    const result = work();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
