import type { ExecutionLease, Executions, JobTree } from '../../coordination/index.js';
import { formatTaskId, type JobName, SparseSet, type Trigger } from '../../domain/index.js';
import type { JobEvents } from '../../tracing/index.js';
import type { RegistryTurns } from '../../turns/index.js';
import { JobDuty, type Report } from '../news/index.js';
import type { Leases, TriggerGate } from '../runs/index.js';
import type { JobSettings } from '../settings/index.js';
import type { CatchUp } from './catch-up.js';
import type { TriggerPlan } from './trigger-plan.js';

/**
 * One fire time, step by step: gate, items, order, begin. `Leases` then runs the lease, and settles it item by item.
 */
export class Tick {
  constructor(
    private readonly jobName: JobName,
    private readonly events: JobEvents,
    private readonly gate: TriggerGate,
    private readonly plan: TriggerPlan,
    private readonly catchUp: CatchUp,
    private readonly leases: Leases,
    private readonly flags: MisfireFlags,
  ) {}

  /**
   * @param cameAt moment on the monotonic clock at which the fire time came. @default now
   * @returns the lease, which the caller must run; undefined if nothing was begun
   */
  begin(fireTime: number, cameAt?: number): Promise<ExecutionLease | undefined> | undefined {
    if (!this.gate.mayBegin) return undefined;
    const { jobName } = this;
    const trigger: Trigger = { jobName, fireTime, origin: 'schedule', source: 'NORMAL_TRIGGER' };
    return this.handle(trigger, cameAt);
  }

  /** Begins a fire time, which is not caught up on meanwhile. If the begin fails, the fire time is owed. */
  private async handle(trigger: Trigger, cameAt: number | undefined): Promise<ExecutionLease | undefined> {
    const { catchUp } = this;
    catchUp.handles(trigger.fireTime);
    try {
      return await this.beginTrigger(trigger, cameAt);
    } catch (error) {
      catchUp.owe(trigger.fireTime);
      throw error;
    } finally {
      catchUp.handled(trigger.fireTime);
    }
  }

  // Small, since a thousand triggers wait here for their sync, and what they keep in memory delays them.
  private async beginTrigger(trigger: Trigger, cameAt: number | undefined): Promise<ExecutionLease | undefined> {
    if (await this.gate.refuses(trigger)) return undefined;
    const items = await this.plan.assign(trigger, cameAt);
    if (!this.gate.mayBegin) return undefined;
    this.plan.reportTaken(trigger, items);
    return items.length === 0 ? undefined : this.beginItems(trigger, items);
  }

  /** Begins the free items, and marks those that still run as misfired. */
  private async beginItems(trigger: Trigger, items: readonly number[]): Promise<ExecutionLease | undefined> {
    const { ready, behind } = await this.catchUp.inOrder(trigger, this.free(items));
    const free = this.free(ready);
    const held =
      free.length === items.length ? [] : items.filter((item) => !free.includes(item) && !behind.includes(item));
    this.reportRefused(trigger, behind, 'behind');
    this.reportRefused(trigger, held, 'still running');
    const begun = await this.leases.begin(trigger, free);
    for (const [item, cause] of begun.refused) this.reportRefused(trigger, [item], cause);
    const busy = [...begun.refused].flatMap(([item, cause]) => (cause === 'busy' ? item : []));
    this.flags.add([...held, ...busy]);
    return begun.lease;
  }

  private free(items: readonly number[]): readonly number[] {
    const { running } = this.leases;
    return running.size === 0 ? items : items.filter((item) => !running.has(item));
  }

  private reportRefused(trigger: Trigger, items: readonly number[], cause: string): void {
    if (items.length > 0) this.events.emit({ kind: 'refused', trigger, items, cause });
  }
}

/**
 * Fire times of a job whose begins wait for their turns: one is begun at a time, and of those that come meanwhile only
 * the latest follows. The others are reported as missed by the begin that passes them by, or `CatchUp` begins them, as
 * `misfirePolicy` says.
 */
export class LatestTick {
  private isBeginning = false;
  private next: (() => void) | undefined;

  /**
   * @param begin resolves when the fire time is begun
   * @param later handles the fire time again, once the present one is begun
   * @returns undefined if it is put off
   */
  async begin<T>(begin: () => T | Promise<T>, later: () => void): Promise<T | undefined> {
    if (this.isBeginning) {
      this.next = later;
      return undefined;
    }
    this.isBeginning = true;
    try {
      return await begin();
    } finally {
      this.isBeginning = false;
      const { next } = this;
      this.next = undefined;
      next?.();
    }
  }
}

/** Flags items in the registry that still ran when a trigger came. They owe one more run after they end. */
export class MisfireFlags extends JobDuty {
  /** Items to flag. While one write is under way, all triggers add to the next one, however slow the registry is. */
  private readonly items = new SparseSet<number>();

  /** @param onFlagged called with the items whose flags are set; some may have ended meanwhile */
  constructor(
    tree: JobTree,
    private readonly settings: JobSettings,
    private readonly executions: Executions,
    private readonly events: JobEvents,
    private readonly registryTurns: RegistryTurns | undefined,
    report: Report,
    private readonly onFlagged: (items: readonly number[]) => void,
  ) {
    super(tree, report, 'marking misfired items');
  }

  add(items: readonly number[]): void {
    const { misfire, monitorExecution } = this.settings.configuration;
    if (items.length === 0 || !misfire || !monitorExecution) return;
    for (const item of items) this.items.add(item);
    this.wake();
  }

  protected async work(): Promise<void> {
    const { events, registryTurns, tree } = this;
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
    this.onFlagged(items);
  }
}
