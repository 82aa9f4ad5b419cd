import type { Clock } from '../clock/index.js';
import type { ExecutionLease } from '../coordination/index.js';
import type { JobConfiguration, JobHandler, ShardOutcome } from '../domain/index.js';
import { LeaseRun } from './lease-run.js';
import { Slots } from './slots.js';

/** What the executor has to know of a job. */
export interface ExecutableJob {
  readonly configuration: JobConfiguration;
  readonly handler: JobHandler;
}

/** How one item of a lease ended. */
export interface ItemOutcome {
  readonly item: number;
  readonly outcome: ShardOutcome;
}

export interface JobExecutorOptions {
  /** Goes before the fencing token in every comparison; handed to the handlers as it is. */
  readonly tokenEpoch: number;
}

/**
 * Runs what the leases of one job allow, on this instance. It neither begins nor settles anything.
 *
 * ```ts
 * for await (const { item, outcome } of executor.run(lease, job)) lease.settle(item, outcome);
 * ```
 */
export class JobExecutor {
  private readonly slots = new Slots();

  constructor(
    private readonly clock: Clock,
    private readonly options: JobExecutorOptions,
  ) {}

  /**
   * Starts the items in ascending order, at most `configuration.concurrency` at the same time over all leases of
   * the job, and yields each outcome as its item ends. Whatever a handler does, it decides the outcome of its own item only, and the iteration never
   * throws. An item whose handler never settles is not yielded; the others are.
   *
   * When the lease aborts, running items are told by their signals and waiting items are yielded as aborted without
   * being started. Who leaves the iteration early aborts it likewise. Nothing starts before the first `next()`.
   */
  run(lease: ExecutionLease, job: ExecutableJob): AsyncGenerator<ItemOutcome, void, void> {
    return new LeaseRun(this.clock, lease, job, this.options.tokenEpoch, this.slots).outcomes();
  }
}
