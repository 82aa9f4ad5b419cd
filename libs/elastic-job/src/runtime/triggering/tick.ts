import type { ExecutionLease } from '../../coordination/index.js';
import type { JobName, Trigger } from '../../domain/index.js';
import type { CatchUp } from './catch-up.js';
import type { MisfireFlags } from './misfire-flags.js';
import type { TriggerPlan } from './trigger-plan.js';
import type { JobEvents } from '../../tracing/index.js';
import type { LeaseBegins, RunningItems, TriggerGate } from '../runs/index.js';

/**
 * One fire time, step by step: gate, items, order, begin. `LeaseRunner` then runs the lease, and settles it item by
 * item.
 */
export class Tick {
  constructor(
    private readonly jobName: JobName,
    private readonly running: RunningItems,
    private readonly events: JobEvents,
    private readonly gate: TriggerGate,
    private readonly plan: TriggerPlan,
    private readonly catchUp: CatchUp,
    private readonly begins: LeaseBegins,
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
    const refused = this.gate.refuses(trigger);
    if (refused !== false && (await refused)) return undefined;
    const items = await this.plan.assign(trigger, cameAt);
    if (!this.gate.mayBegin) return undefined;
    this.plan.tell(trigger, items);
    return items.length === 0 ? undefined : this.beginItems(trigger, items);
  }

  /** Begins the free items, and marks those that still run as misfired. */
  private async beginItems(trigger: Trigger, items: readonly number[]): Promise<ExecutionLease | undefined> {
    const sorting = this.catchUp.inOrder(trigger, this.free(items));
    const { ready, behind } = sorting instanceof Promise ? await sorting : sorting;
    const free = this.free(ready);
    const held =
      free.length === items.length ? [] : items.filter((item) => !free.includes(item) && !behind.includes(item));
    this.tellRefused(trigger, behind, 'behind');
    this.tellRefused(trigger, held, 'still running');
    const begun = await this.begins.begin(trigger, free);
    for (const [item, cause] of begun.refused) this.tellRefused(trigger, [item], cause);
    const busy = [...begun.refused].flatMap(([item, cause]) => (cause === 'busy' ? item : []));
    this.flags.add([...held, ...busy]);
    return begun.lease;
  }

  private free(items: readonly number[]): readonly number[] {
    const { running } = this;
    return running.size === 0 ? items : items.filter((item) => !running.has(item));
  }

  private tellRefused(trigger: Trigger, items: readonly number[], cause: string): void {
    if (items.length > 0) this.events.emit({ kind: 'refused', trigger, items, cause });
  }
}
