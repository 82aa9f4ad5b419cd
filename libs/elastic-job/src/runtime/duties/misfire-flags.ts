import { formatTaskId, SparseSet } from '../../domain/index.js';
import { type JobContext, JobReconciler } from '../leases/index.js';

/** Flags items in the registry that still ran when a trigger came. They owe one more run after they end. */
export class MisfireFlags {
  private readonly flagging: JobReconciler;
  /** Items to flag. While one write is under way, all triggers add to the next one, however slow the registry is. */
  private readonly items = new SparseSet<number>();

  /** @param onLeft called if an item has ended while its flag was being set, so no end of a run starts the catch-up */
  constructor(
    private readonly context: JobContext,
    private readonly onLeft: () => void,
  ) {
    this.flagging = new JobReconciler(context, 'marking misfired items', () => this.flag());
  }

  add(items: readonly number[]): void {
    const { misfire, monitorExecution } = this.context.settings.configuration;
    if (items.length === 0 || !misfire || !monitorExecution) return;
    for (const item of items) this.items.add(item);
    this.flagging.wake();
  }

  stop(): void {
    this.flagging.stop();
  }

  private async flag(): Promise<void> {
    const { events, registryTurns, running, services, tree } = this.context;
    const { jobName, self } = tree;
    const items = [...this.items];
    this.items.clear();
    const mark = () => services.executions.markMisfired(jobName, items);
    try {
      await (registryTurns?.run(items.length, mark) ?? mark());
    } catch (error) {
      for (const item of items) this.items.add(item);
      throw error;
    }
    events.emit({ kind: 'misfired', jobName, taskId: formatTaskId(jobName, items, self.jobInstanceId), items });
    if (items.some((item) => !running.has(item))) this.onLeft();
  }
}
