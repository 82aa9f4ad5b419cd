import type { Executions, JobTree } from '../../coordination/index.js';
import { formatTaskId, SparseSet } from '../../domain/index.js';
import type { JobEvents } from '../../tracing/index.js';
import { JobReconciler, type Report } from '../news/index.js';
import { type JobSettings } from '../settings/index.js';
import { type RunningItems } from '../runs/index.js';
import type { RegistryTurns } from '../../turns/index.js';

/** Flags items in the registry that still ran when a trigger came. They owe one more run after they end. */
export class MisfireFlags {
  private readonly flagging: JobReconciler;
  /** Items to flag. While one write is under way, all triggers add to the next one, however slow the registry is. */
  private readonly items = new SparseSet<number>();

  /** @param onLeft called if an item has ended while its flag was being set, so no end of a run starts the catch-up */
  constructor(
    private readonly tree: JobTree,
    private readonly settings: JobSettings,
    private readonly executions: Executions,
    private readonly running: RunningItems,
    private readonly events: JobEvents,
    private readonly registryTurns: RegistryTurns | undefined,
    report: Report,
    private readonly onLeft: () => void,
  ) {
    this.flagging = new JobReconciler(tree, report, 'marking misfired items', () => this.flag());
  }

  add(items: readonly number[]): void {
    const { misfire, monitorExecution } = this.settings.configuration;
    if (items.length === 0 || !misfire || !monitorExecution) return;
    for (const item of items) this.items.add(item);
    this.flagging.wake();
  }

  stop(): void {
    this.flagging.stop();
  }

  private async flag(): Promise<void> {
    const { events, registryTurns, running, tree } = this;
    const { jobName, self } = tree;
    const items = [...this.items];
    this.items.clear();
    const mark = () => this.executions.markMisfired(jobName, items);
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
