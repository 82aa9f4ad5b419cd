import type { JobTree } from '../../coordination/index.js';
import { HandedOverError } from '../../domain/index.js';
import type { JobWork } from '../settings/index.js';
import type { News } from '../news/index.js';
import type { RunningItems } from './running-items.js';

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
