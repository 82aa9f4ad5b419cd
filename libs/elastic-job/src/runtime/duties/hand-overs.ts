// Covered by test/scenario/tasks.spec.ts
import { HandedOverError } from '../../domain/index.js';
import type { Hearing, JobContext } from '../leases/index.js';
import type { Duty } from './duty.js';

/**
 * Lets go of items that belong to another instance now, where their tasks run on: nobody has to wait for their ends.
 * The new owner adopts them.
 */
export class HandOvers implements Duty {
  readonly hears = {
    OwnerChanged: ({ item }) => this.letGo(item),
    TreeReset: () => this.context.running.list.forEach((item) => this.letGo(item)),
    LeaseRuns: ({ lease }) => lease.items.forEach((item) => this.letGo(item)),
  } satisfies Hearing;

  constructor(private readonly context: JobContext) {}

  private letGo(item: number): void {
    const { running, tasks, tree } = this.context;
    if (tasks !== 'adoptable') return;
    const owner = tree.owner(item);
    const isOthers = owner !== undefined && owner !== tree.self.jobInstanceId;
    if (!isOthers || !tree.availableInstances().some(({ jobInstanceId }) => jobInstanceId === owner)) return;
    running.leaseOf(item)?.abortItem(item, new HandedOverError(tree.jobName, 'moved'));
  }
}
