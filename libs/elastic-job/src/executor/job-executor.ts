import { inOwnContext } from '../async-context/index.js';
import type { Clock } from '../clock/index.js';
import type { ExecutionLease } from '../coordination/index.js';
import {
  HandlerHungError,
  Listeners,
  mostItemsAtOnce,
  readable,
  type ShardOutcome,
  SparseSet,
} from '../domain/index.js';
import { FairTurns, type JobKind } from '../turns/index.js';
import { ItemRun, type ItemRunTerms, outcomeOfAbort, Retries } from './attempts.js';
import { type ContextOf, contextsOf } from './contexts.js';
import type { ExecutableJob, JobExecutorOptions, OnEnded } from './executable-job.js';

/**
 * Runs the items of one job's leases on this instance. It neither begins nor settles them.
 *
 * ```ts
 * await executor.run(lease, { configuration, handler }, (item, outcome) => lease.settle(item, outcome));
 * ```
 */
export class JobExecutor {
  private readonly slots = new Slots();
  private readonly runs = new SparseSet<LeaseRun>();
  private readonly noticed = new SparseSet<{ forget(): void }>();

  /** @param turns shared by all jobs of a process */
  constructor(
    private readonly clock: Clock,
    private readonly options: JobExecutorOptions,
    private readonly turns = new FairTurns(clock),
  ) {}

  /**
   * Runs the items of a lease. Starts them in ascending order, at most `configuration.concurrency` at the same time
   * over all leases of the job. Retries failures as configured, and reports each outcome as its item ends. A handler
   * decides the outcome of its own item only. An item whose handler never settles does not end, unless `onHung` of the
   * job is `release`; the others do.
   *
   * A running item aborts by its signal; a waiting one ends as aborted without a start. Once the handlers of a process
   * have used 50 ms of its event loop, leases continue in later turns, one by one.
   * @returns resolves when all items have ended
   * @throws the first error of `onEnded`
   */
  run(lease: ExecutionLease, job: ExecutableJob, onEnded: OnEnded): Promise<void> {
    return new LeaseRun(this.clock, lease, job, onEnded, this.options, this.slots, this.turns).run(this.runs);
  }

  /** Does the work of `run`, whose notices about hung listeners `forgetHung` stops as well. */
  async notice(run: { forget(): void }, work: () => Promise<void>): Promise<void> {
    this.noticed.add(run);
    await work();
    this.noticed.delete(run);
  }

  /** Stops all notices about hung handlers and listeners, because the process leaves them behind. */
  forgetHung(): void {
    for (const run of this.runs) run.forget();
    for (const run of this.noticed) run.forget();
  }
}

/** Shared by all items, and frozen, since users' listeners get it. */
const SUCCESS: ShardOutcome = Object.freeze({ kind: 'succeeded' });

/**
 * One lease while it runs: items that wait for a slot, that run, that rest before the next attempt, and that have
 * ended.
 */
class LeaseRun {
  private readonly waiting: number[];
  private readonly running = new Map<number, ItemRun>();
  private readonly released = new Set<number>();
  /** Ends of listening to the signals of items that have waited. */
  private readonly offAborted = new Map<number, () => void>();
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

/**
 * Places for running items of one job on this instance. Its leases share them; the older lease fills a free place
 * first.
 */
class Slots {
  private taken = 0;
  private readonly waiting = new Listeners<() => void>();

  /** Takes a place. @param limit present number of places */
  take(limit: number): boolean {
    if (this.taken >= limit) return false;
    this.taken += 1;
    return true;
  }

  free(): void {
    this.taken -= 1;
    this.waiting.forEach((fill) => fill());
  }

  /** Calls `fill` whenever a place is free. @returns a function that stops this */
  onFree(fill: () => void): () => void {
    return this.waiting.add(fill);
  }
}
