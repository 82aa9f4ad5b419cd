import type { Abortable, Clock, Timer } from '../clock/index.js';
import type { ExecutionLease } from '../coordination/index.js';
import { ExecutorDeathError, JobTimeoutError, type ShardOutcome } from '../domain/index.js';

/** How long an item may take. */
interface ItemLimits {
  /** Undefined: no limit. In milliseconds. */
  readonly timeoutMs: number | undefined;
  /** What is left of that, in milliseconds: the attempts before this one have taken their part. */
  readonly leftMs: number;
  /** How long a handler may take to heed its signal, in milliseconds. */
  readonly hungGraceMs: number;
}

/** One attempt at an item, while its handler runs: its time limit, and how long it takes to heed its signal. */
export class ItemRun {
  private readonly ending: Abortable;
  private readonly offAborted: () => void;
  private timer: Timer | undefined;
  private sinceMs: number | undefined;

  /**
   * The time limit starts to count here.
   * @param onHung the handler has not returned although its signal aborted long ago. Called once at most
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

  /**
   * Resolves when the work has ended, in whichever way; never rejects. Awaits also thenables that break their promise.
   */
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

  /** Nobody is told any more, whatever the handler does. */
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
   * What counts if the signal aborted first: a handler that was told to stop may return half-done work as its result.
   */
  private interruption(): ShardOutcome | undefined {
    const { aborted, reason } = this.ending;
    if (!aborted) return undefined;
    const isFailure = reason instanceof JobTimeoutError || reason instanceof ExecutorDeathError;
    return isFailure ? { kind: 'failed', error: reason } : { kind: 'aborted', reason };
  }
}
