import type { Abortable, Clock, Timer } from '../clock/index.js';
import type { ExecutionLease } from '../coordination/index.js';
import { ExecutorDeathError, JobTimeoutError, type ShardOutcome } from '../domain/index.js';

/** Time limits of an item. */
interface ItemLimits {
  /** Undefined: no limit. In milliseconds. */
  readonly timeoutMs: number | undefined;
  /** Time left of that for this attempt, in milliseconds: earlier attempts have used their part. */
  readonly leftMs: number;
  /** How long a handler may go on after its signal, in milliseconds. */
  readonly hungGraceMs: number;
}

/** One attempt at an item, while its handler runs: its time limit, and its delay in reacting to its signal. */
export class ItemRun {
  private readonly ending: Abortable;
  private readonly offAborted: () => void;
  private timer: Timer | undefined;
  private sinceMs: number | undefined;

  /**
   * Starts the time limit.
   * @param onHung called at most once, if the handler has not returned within the grace after its signal
   */
  constructor(
    private readonly clock: Clock,
    private readonly lease: ExecutionLease,
    private readonly item: number,
    private readonly limits: ItemLimits,
    private readonly onHung: () => void,
  ) {
    const { leftMs, timeoutMs } = limits;
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

  /** Resolves when the work has ended in any way, and never rejects. Accepts thenables that break their contract. */
  async outcomeOf(work: () => unknown): Promise<ShardOutcome> {
    try {
      await work();
      return this.interruption() ?? { kind: 'succeeded' };
    } catch (error) {
      return this.interruption() ?? { kind: 'failed', error };
    } finally {
      this.forget();
    }
  }

  /** Stops all notices about the handler. */
  forget(): void {
    this.timer?.cancel();
    this.offAborted();
  }

  private aborted(): void {
    this.timer?.cancel();
    this.sinceMs = this.clock.wallNow();
    this.timer = this.clock.setTimer(this.limits.hungGraceMs, this.onHung);
  }

  /**
   * The outcome if the signal has aborted first: a handler that was told to stop may return half-done work as its
   * result.
   */
  private interruption(): ShardOutcome | undefined {
    const { aborted, reason } = this.ending;
    if (!aborted) return undefined;
    const isFailure = reason instanceof JobTimeoutError || reason instanceof ExecutorDeathError;
    return isFailure ? { kind: 'failed', error: reason } : { kind: 'aborted', reason };
  }
}
