import type { Clock } from '../clock/index.js';
import type { ExecutionLease } from '../coordination/index.js';
import type { JobConfiguration, JobHandler, ShardOutcome } from '../domain/index.js';
import { LeaseRun } from './lease-run.js';
import type { RetriedItem } from './retries.js';
import { Slots } from './slots.js';

/** What the executor has to know of a job. */
export interface ExecutableJob {
  readonly configuration: JobConfiguration;
  readonly handler: JobHandler;
  /** A handler is about to be called. @param attempt 1, and more for retries under the lease */
  onStarted?(item: number, attempt: number): void;
  /** A handler has not heeded its signal. Told once for each item. */
  onHung?(hung: HungHandler): void;
  /** A handler has returned; its item is ended next, unless it was released. Told of each item that was started. */
  onReturned?(item: number): void;
  /** A handler has failed, and its item is tried again instead of being yielded. */
  onRetry?(retried: RetriedItem): void;
}

/** A handler that has not returned although its signal aborted `hungGraceMs` ago. */
export interface HungHandler {
  readonly item: number;
  /** When its signal aborted, in milliseconds since the epoch. */
  readonly since: number;
  /** Why it aborted. */
  readonly reason: unknown;
  /** The item is given up to others: it is yielded as aborted, and its handler counts no more. */
  readonly isReleased: boolean;
}

/** How one item of a lease ended. */
export interface ItemOutcome {
  readonly item: number;
  readonly outcome: ShardOutcome;
}

export interface JobExecutorOptions {
  /** Goes before the fencing token in every comparison; handed to the handlers as it is. */
  readonly tokenEpoch: number;
  /** How long a handler may take to heed its signal, in milliseconds. @default 30_000 */
  readonly hungGraceMs?: number;
}

/** @see JobExecutorOptions */
export const DEFAULT_HUNG_GRACE_MS = 30_000;

/**
 * Runs what the leases of one job allow, on this instance. It neither begins nor settles anything.
 *
 * ```ts
 * for await (const { item, outcome } of executor.run(lease, job)) lease.settle(item, outcome);
 * ```
 */
export class JobExecutor {
  private readonly slots = new Slots();
  private readonly runs = new Set<LeaseRun>();
  private readonly options: Required<JobExecutorOptions>;

  constructor(
    private readonly clock: Clock,
    { tokenEpoch, hungGraceMs = DEFAULT_HUNG_GRACE_MS }: JobExecutorOptions,
  ) {
    this.options = { tokenEpoch, hungGraceMs };
  }

  /**
   * Starts the items in ascending order, at most `configuration.concurrency` at the same time over all leases of
   * the job, tries again those that fail as the configuration says, and yields each outcome as its item ends. Whatever
   * a handler does, it decides the outcome of its own item only, and the iteration never throws. An item whose handler
   * never settles is not yielded, unless `onHung` of the job is `release`; the others are.
   *
   * When an item aborts it is told by its signal if it runs; if it waits, it is yielded as aborted without being
   * started. Who leaves the iteration early aborts it likewise. Nothing starts before the first `next()`.
   */
  run(lease: ExecutionLease, job: ExecutableJob): AsyncGenerator<ItemOutcome, void, void> {
    const run = new LeaseRun(this.clock, lease, job, this.options, this.slots);
    return this.watched(run);
  }

  /** Nobody is told any more of handlers that do not return: the process leaves them behind. */
  forgetHung(): void {
    for (const run of this.runs) run.forget();
  }

  private async *watched(run: LeaseRun): AsyncGenerator<ItemOutcome, void, void> {
    this.runs.add(run);
    try {
      yield* run.outcomes();
    } finally {
      this.runs.delete(run);
    }
  }
}
