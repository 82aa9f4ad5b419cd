import { HandedOverError } from '../../domain/index.js';
import type { JobContext, News } from '../leases/index.js';

/**
 * Releases items that another instance owns now, if their tasks run on: there is no need to wait for their ends, since
 * the new owner adopts them.
 */
export class HandOvers {
  constructor(private readonly context: JobContext) {}

  ownerChanged({ item }: News<'OwnerChanged'>): void {
    this.letGo(item);
  }

  treeReset(): void {
    this.context.running.list.forEach((item) => this.letGo(item));
  }

  leaseRuns({ lease }: News<'LeaseRuns'>): void {
    lease.items.forEach((item) => this.letGo(item));
  }

  private letGo(item: number): void {
    const { running, tasks, tree } = this.context;
    if (tasks !== 'adoptable') return;
    const owner = tree.owner(item);
    if (owner === tree.self.jobInstanceId || tree.availableInstance(owner) === undefined) return;
    running.leaseOf(item)?.abortItem(item, new HandedOverError(tree.jobName, 'moved'));
  }
}
