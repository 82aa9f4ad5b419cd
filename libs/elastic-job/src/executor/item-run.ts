import type { Clock, Timer } from '../clock/index.js';
import { JobTimeoutError, type JobName, type ShardOutcome } from '../domain/index.js';

/** One item while it runs: its signal and its time limit. */
export class ItemRun {
  private readonly controller = new AbortController();
  private readonly timer: Timer | undefined;

  /** The time limit starts to count here. @param timeoutMs undefined: no limit */
  constructor(clock: Clock, jobName: JobName, item: number, timeoutMs: number | undefined) {
    if (timeoutMs === undefined) return;
    this.timer = clock.setTimer(timeoutMs, () => this.abort(new JobTimeoutError(jobName, item, timeoutMs)));
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** The first reason stands. */
  abort(reason: unknown): void {
    this.timer?.cancel();
    this.controller.abort(reason);
  }

  /** Resolves when the work has ended, in whichever way; never rejects. Awaits also thenables that break their promise. */
  async outcomeOf(work: () => unknown): Promise<ShardOutcome> {
    try {
      await work();
      return this.interruption() ?? { kind: 'succeeded' };
    } catch (error) {
      return this.interruption() ?? { kind: 'failed', error };
    } finally {
      this.timer?.cancel();
    }
  }

  /** What counts if the signal aborted first: a handler that was told to stop may return half-done work as its result. */
  private interruption(): ShardOutcome | undefined {
    const { aborted, reason } = this.signal;
    if (!aborted) return undefined;
    return reason instanceof JobTimeoutError ? { kind: 'failed', error: reason } : { kind: 'aborted', reason };
  }
}
