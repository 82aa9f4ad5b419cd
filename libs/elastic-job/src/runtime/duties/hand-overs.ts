// Covered by test/scenario/tasks.spec.ts
import { HandedOverError } from '../../domain/index.js';
import type { JobContext } from '../leases/index.js';
import type { Duty, News } from './duty.js';

/**
 * Lets go of items that belong to another instance now, where their tasks run on: nobody has to wait for their ends.
 * The new owner adopts them.
 */
export class HandOvers implements Duty {
  constructor(private readonly context: JobContext) {}

  OwnerChanged({ item }: News<'OwnerChanged'>): void {
    this.letGo(item);
  }

  TreeReset(): void {
    this.context.running.list.forEach((item) => this.letGo(item));
  }

  LeaseRuns({ lease }: News<'LeaseRuns'>): void {
    lease.items.forEach((item) => this.letGo(item));
  }

  private letGo(item: number): void {
    const { running, tasks, tree } = this.context;
    if (tasks !== 'adoptable') return;
    const owner = tree.owner(item);
    const isOthers = owner !== undefined && owner !== tree.self.jobInstanceId;
    if (!isOthers || !tree.availableInstances().some(({ jobInstanceId }) => jobInstanceId === owner)) return;
    running.leaseOf(item)?.abortItem(item, new HandedOverError(tree.jobName, 'moved'));
  }
}
