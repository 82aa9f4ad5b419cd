import type { Abortable, Clock, Timer } from '../clock/index.js';
import type { ExecutionLease } from '../coordination/index.js';
import { ExecutorDeathError, JobTimeoutError, type ShardOutcome } from '../domain/index.js';

/** Values that all attempts of one lease share. */
export interface ItemRunTerms {
  readonly clock: Clock;
  readonly lease: ExecutionLease;
  /** Undefined: no limit. In milliseconds. */
  readonly timeoutMs: number | undefined;
  /** How long a handler may go on after its signal, in milliseconds. */
  readonly hungGraceMs: number;
  /** Called at most once, if the handler has not returned within the grace after its signal. */
  readonly onHung: (run: ItemRun) => void;
}

/** One attempt at an item, while its handler runs: its time limit, and its delay in reacting to its signal. */
export class ItemRun {
  private readonly ending: Abortable;
  private readonly offAborted: () => void;
  private timer: Timer | undefined;
  private sinceMs: number | undefined;

  /**
   * Starts the time limit.
   * @param leftMs time left for this attempt, in milliseconds: earlier attempts have used their part
   */
  constructor(
    private readonly terms: ItemRunTerms,
    readonly item: number,
    leftMs: number,
  ) {
    const { clock, lease, timeoutMs } = terms;
    this.ending = lease.endingOf(item);
    this.offAborted = this.ending.onAbort(() => this.aborted());
    if (timeoutMs === undefined) return;
    this.timer = clock.setTimer(leftMs, () =>
      lease.abortItem(item, new JobTimeoutError(lease.jobName, item, timeoutMs)),
    );
  }

  /** When its signal aborted, in milliseconds since the epoch; undefined while it has not. */
  get abortedAt(): number | undefined {
    return this.sinceMs;
  }

  /**
   * Ends the attempt.
   * @param result the outcome by the handler alone
   * @returns the outcome, which may be an earlier abort
   */
  end(result: ShardOutcome): ShardOutcome {
    this.forget();
    return this.interruption() ?? result;
  }

  /** Stops all notices about the handler. */
  forget(): void {
    this.timer?.cancel();
    this.offAborted();
  }

  private aborted(): void {
    const { clock, hungGraceMs, onHung } = this.terms;
    this.timer?.cancel();
    this.sinceMs = clock.wallNow();
    this.timer = clock.setTimer(hungGraceMs, () => onHung(this));
  }

  /**
   * The outcome if the signal has aborted first: a handler that was told to stop may return half-done work as its
   * result.
   */
  private interruption(): ShardOutcome | undefined {
    const { aborted, reason } = this.ending;
    return aborted ? outcomeOfAbort(reason) : undefined;
  }
}

/** The outcome of an item whose signal has aborted. */
export function outcomeOfAbort(reason: unknown): ShardOutcome {
  const isFailure = reason instanceof JobTimeoutError || reason instanceof ExecutorDeathError;
  return isFailure ? { kind: 'failed', error: reason } : { kind: 'aborted', reason };
}
