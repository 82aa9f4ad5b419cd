// Runs of this instance that are ended from outside: cancelled by operators, or handed over to the new owner.
import type { ExecutionLease, JobTree } from '../../coordination/index.js';
import { CancelledError, HandedOverError, parseCancelRequest } from '../../domain/index.js';
import type { JobEvents } from '../../tracing/index.js';
import { JobDuty, type News, type Report } from '../news/index.js';
import type { JobWork } from '../settings/index.js';
import type { RunningItems } from './running-items.js';

/**
 * Aborts runs of this instance that operators cancel, and ends runs whose executors they have confirmed to be gone. A
 * request names its run, so a late one never aborts a later run. It is removed with the end of the run, or by the
 * leader's sweep.
 */
export class Cancellations extends JobDuty {
  /** Runs whose cancel was reported, the latest of each item. */
  private reported: Map<number, string> | undefined;

  constructor(
    tree: JobTree,
    private readonly running: RunningItems,
    private readonly events: JobEvents,
    report: Report,
  ) {
    super(tree, report, 'cancelling a run');
  }

  cancelRequested({ item }: News<'CancelRequested'>): void {
    this.wakeIf(this.running.has(item));
  }

  treeReset(): void {
    this.wakeIf(this.tree.cancels().length > 0);
  }

  // The request may have come before the reply to the begin.
  leaseRuns({ lease }: News<'LeaseRuns'>): void {
    this.wakeIf(lease.items.some((item) => this.tree.isCancelled(item)));
  }

  private wakeIf(isCancelled: boolean): void {
    if (isCancelled) this.wake();
  }

  protected async work(): Promise<void> {
    const { running, tree } = this;
    await tree.sync({ signal: tree.signal });
    const items = tree.cancels().filter((item) => running.has(item));
    const paths = items.map((item) => tree.paths.cancel(item));
    if (!(await tree.load(paths, { signal: tree.signal }))) return this.wake();
    for (const item of items) {
      const lease = running.leaseOf(item);
      const request = parseCancelRequest(tree.node(tree.paths.cancel(item))?.data ?? '');
      if (lease === undefined || lease.run !== request.run) continue;
      if (request.isConfirmedLost) lease.confirmLost(item);
      else this.cancel(lease, item);
    }
  }

  private cancel(lease: ExecutionLease, item: number): void {
    const { events, tree } = this;
    if (lease.run !== undefined && this.reported?.get(item) !== lease.run) {
      this.reported = (this.reported ?? new Map<number, string>()).set(item, lease.run);
      events.emit({ kind: 'cancel-requested', jobName: tree.jobName, item });
    }
    lease.abortItem(item, new CancelledError(tree.jobName, item));
  }
}

/**
 * Releases items that another instance owns now, if their tasks run on: there is no need to wait for their ends, since
 * the new owner adopts them.
 */
export class HandOvers {
  constructor(
    private readonly tree: JobTree,
    private readonly running: RunningItems,
    private readonly work: Pick<JobWork, 'tasks'>,
  ) {}

  ownerChanged({ item }: News<'OwnerChanged'>): void {
    this.letGo(item);
  }

  treeReset(): void {
    this.running.list.forEach((item) => this.letGo(item));
  }

  leaseRuns({ lease }: News<'LeaseRuns'>): void {
    lease.items.forEach((item) => this.letGo(item));
  }

  private letGo(item: number): void {
    const { running, tree, work } = this;
    if (work.tasks !== 'adoptable') return;
    const owner = tree.owner(item);
    if (owner === tree.self.jobInstanceId || tree.availableInstance(owner) === undefined) return;
    running.leaseOf(item)?.abortItem(item, new HandedOverError(tree.jobName, 'moved'));
  }
}
