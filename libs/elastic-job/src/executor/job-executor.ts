import type { Clock } from '../clock/index.js';
import { SparseSet } from '../domain/index.js';
import type { ExecutionLease } from '../coordination/index.js';
import { FairTurns } from '../turns/index.js';
import type { ExecutableJob, OnEnded } from './executable-job.js';
import type { JobExecutorOptions } from './job-executor-options.js';
import { LeaseRun } from './lease-run.js';
import { Slots } from './slots.js';

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
   * over all leases of the job; retries failures as configured; tells each outcome as its item ends. A handler decides
   * the outcome of its own item only. An item whose handler never settles does not end, unless `onHung` of the job is
   * `release`; the others do.
   *
   * A running item aborts by its signal; a waiting one ends as aborted without a start. Once the handlers of a process
   * have used 50 ms of its event loop, leases continue in later turns, one by one.
   * @returns resolves when all items have ended
   * @throws the first error of `onEnded`
   */
  run(lease: ExecutionLease, job: ExecutableJob, onEnded: OnEnded): Promise<void> {
    return new LeaseRun(this.clock, lease, job, onEnded, this.options, this.slots, this.turns).run(this.runs);
  }

  /** Does work of which notices are stopped together with those about handlers. */
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
