import type { JobTree, Sharding } from '../../coordination/index.js';
import { formatTaskId, type Trigger } from '../../domain/index.js';
import type { JobEvents } from '../../tracing/index.js';
import type { LeaderDuties } from '../leading/index.js';

/** Finds the items that this instance must run for a trigger. */
export class TriggerPlan {
  constructor(
    private readonly tree: JobTree,
    private readonly sharding: Sharding,
    private readonly events: JobEvents,
    private readonly leader: Pick<LeaderDuties, 'triggerGoesOn' | 'triggerWaits'>,
  ) {}

  /**
   * Items as of a sync. During resharding it waits for the leader, up to `shardingTimeoutMs`.
   * @param cameAt moment on the monotonic clock that the sync must not precede. @default now
   */
  async assign(trigger: Trigger, cameAt?: number): Promise<readonly number[]> {
    const { sharding, tree } = this;
    await tree.sync({ signal: tree.signal, asOf: cameAt });
    if (sharding.mustWait(tree)) await this.waitForPlan(trigger);
    return sharding.ownItems(tree);
  }

  /** Items of this instance as far as it knows, without a sync. */
  ownItems(): readonly number[] {
    return this.sharding.ownItems(this.tree);
  }

  private async waitForPlan({ jobName, fireTime }: Trigger): Promise<void> {
    const { events, leader, sharding, tree } = this;
    leader.triggerWaits();
    try {
      const isCurrent = await sharding.waitForPlan(tree);
      if (!isCurrent) events.emit({ kind: 'sharding-timeout', jobName, fireTime });
    } finally {
      leader.triggerGoesOn();
    }
  }

  /** Reports the trigger as taken, with its items. */
  reportTaken(trigger: Trigger, items: readonly number[]): void {
    const { events, tree } = this;
    const taskId = formatTaskId(tree.jobName, items, tree.self.jobInstanceId);
    events.emit({ kind: 'triggered', trigger, taskId, items });
  }
}
