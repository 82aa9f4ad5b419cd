import { inOwnContext } from '../async-context/index.js';
import type { Clock } from '../clock/index.js';
import type { ExecutionLease } from '../coordination/index.js';
import {
  HandlerHungError,
  mostItemsAtOnce,
  readable,
  type ShardOutcome,
  SparseMap,
  SparseSet,
} from '../domain/index.js';
import type { FairTurns, JobKind } from '../turns/index.js';
import { contextsOf, type ContextOf } from './contexts.js';
import type { ExecutableJob, OnEnded } from './executable-job.js';
import { ItemRun, type ItemRunTerms, outcomeOfAbort } from './item-run.js';
import type { JobExecutorOptions } from './job-executor-options.js';
import { Retries } from './retries.js';
import type { Slots } from './slots.js';

/** Shared, and told to users' listeners. */
const SUCCESS: ShardOutcome = Object.freeze({ kind: 'succeeded' });

/**
 * One lease while it runs: items that wait for a slot, that run, that rest before the next attempt, and that have
 * ended.
 */
export class LeaseRun {
  private readonly waiting: number[];
  private readonly running = new SparseMap<number, ItemRun>();
  private readonly released = new SparseSet<number>();
  /** Ends of listening to the signals of items that have waited. */
  private readonly offAborted = new SparseMap<number, () => void>();
  private readonly contextOf: ContextOf;
  private readonly terms: ItemRunTerms;
  private readonly retries: Retries;
  private readonly kind: JobKind;
  private isTurnAwaited = false;
  /** Number of items that have not ended. */
  private left: number;
  private over = (): void => {};
  private readonly runNext = (): void => this.runItem(this.waiting.shift()!);
  /** The first error of `onEnded`. */
  private failed: { readonly error: unknown } | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly lease: ExecutionLease,
    private readonly job: ExecutableJob,
    private readonly onEnded: OnEnded,
    private readonly options: JobExecutorOptions,
    private readonly slots: Slots,
    private readonly turns: FairTurns,
  ) {
    this.waiting = [...lease.items];
    this.left = lease.items.length;
    this.kind = options.kind ?? 'code';
    this.contextOf = contextsOf(lease, job.configuration, options.tokenEpoch);
    this.terms = {
      clock,
      lease,
      timeoutMs: job.configuration.timeoutMs,
      hungGraceMs: options.hungGraceMs,
      onHung: (run) => this.hang(run),
    };
    this.retries = new Retries(
      clock,
      job.configuration,
      (item) => this.queue(item),
      (item, outcome) => this.drop(item, outcome),
      job.formerAttempts,
    );
  }

  /** @param runs all runs of the executor, which this one joins. @see JobExecutor.run */
  async run(runs: SparseSet<LeaseRun>): Promise<void> {
    runs.add(this);
    const offFree = this.slots.onFree(() => this.fillSlots());
    const offMayStart = this.lease.onMayStart(() => this.fillSlots());
    this.fillSlots();
    for (const item of this.waiting.slice()) this.dropWhenAborted(item);
    if (this.left > 0) await new Promise<void>((resolve) => (this.over = resolve));
    offFree();
    offMayStart();
    for (const off of this.offAborted.values()) off();
    runs.delete(this);
    if (this.failed !== undefined) throw this.failed.error;
  }

  /** Stops all notices about hung handlers. */
  forget(): void {
    for (const run of this.running.values()) run.forget();
  }

  private fillSlots(): void {
    const most = mostItemsAtOnce(this.job.configuration, this.clock.processors());
    while (this.waiting.length > 0 && this.lease.mayStart) {
      const next = this.waiting[0]!;
      if (this.lease.endingOf(next).aborted) {
        this.dropAborted(next);
        continue;
      }
      if (!this.turns.isOpen(this.kind)) return this.fillSlotsLater();
      if (!this.slots.take(most)) return;
      this.turns.spend(this.runNext);
    }
  }

  private fillSlotsLater(): void {
    if (this.isTurnAwaited) return;
    this.isTurnAwaited = true;
    this.turns.later(() => {
      this.isTurnAwaited = false;
      this.fillSlots();
    }, this.kind);
  }

  private queue(item: number): void {
    this.waiting.push(item);
    this.fillSlots();
  }

  private runItem(item: number): void {
    const { attempt, leftMs } = this.retries.begin(item);
    const run = new ItemRun(this.terms, item, leftMs);
    this.running.set(item, run);
    this.job.onStarted?.(item, attempt);
    void this.call(run, attempt);
  }

  /** Calls the handler, and ends the item in whatever way it returns. Accepts thenables that break their contract. */
  private async call(run: ItemRun, attempt: number): Promise<void> {
    const { item } = run;
    let result: ShardOutcome = SUCCESS;
    try {
      const context = this.contextOf(item, attempt);
      await inOwnContext(() => this.job.handler(context, this.lease.begun(item)));
    } catch (error) {
      result = { kind: 'failed', error: readable(error) };
    }
    const outcome = run.end(result);
    this.running.delete(item);
    this.job.onReturned?.(item);
    if (!this.released.has(item)) this.endOrRetry(item, outcome);
    this.slots.free();
  }

  private endOrRetry(item: number, outcome: ShardOutcome): void {
    const retried = outcome.kind === 'failed' && this.mayRetry(item) ? this.retries.after(item, outcome) : undefined;
    if (retried === undefined) return this.end(item, outcome);
    this.dropWhenAborted(item);
    this.job.onRetry?.(retried);
  }

  // The signal may be late, so the lease itself is asked.
  private mayRetry(item: number): boolean {
    try {
      this.lease.assertHeld(item);
      return !this.lease.endingOf(item).aborted;
    } catch {
      return false;
    }
  }

  // Ends the item without its handler, which keeps its slot; its later result is ignored.
  private hang({ item, abortedAt = this.clock.wallNow() }: ItemRun): void {
    const { reason } = this.lease.endingOf(item);
    const isReleased = this.job.configuration.onHung === 'release';
    this.job.onHung?.({ item, since: abortedAt, reason, isReleased });
    if (!isReleased) return;
    this.released.add(item);
    const error = new HandlerHungError(this.lease.jobName, item, this.options.hungGraceMs, { cause: reason });
    this.end(item, { kind: 'aborted', reason: error });
  }

  /** Makes an item that does not run end without a start, or without another attempt, once it is aborted. */
  private dropWhenAborted(item: number): void {
    const ending = this.lease.endingOf(item);
    if (ending.aborted) return this.dropAborted(item);
    if (!this.offAborted.has(item)) {
      this.offAborted.set(
        item,
        ending.onAbort(() => this.dropAborted(item)),
      );
    }
  }

  private dropAborted(item: number): void {
    this.drop(item, outcomeOfAbort(this.lease.endingOf(item).reason));
  }

  private drop(item: number, outcome: ShardOutcome): void {
    const isResting = this.retries.giveUp(item);
    const index = this.waiting.indexOf(item);
    if (index >= 0) this.waiting.splice(index, 1);
    if (isResting || index >= 0) this.end(item, outcome);
  }

  private end(item: number, outcome: ShardOutcome): void {
    this.left -= 1;
    try {
      this.onEnded(item, outcome);
    } catch (error) {
      this.failed ??= { error };
    }
    if (this.left === 0) this.over();
  }
}
