import type { JobTree, Sharding } from '../../coordination/index.js';
import { formatTaskId, type Trigger } from '../../domain/index.js';
import type { JobEvents } from '../../tracing/index.js';
import type { LeaderDuties } from './leader-duties.js';

/** Finds the items that this instance must run for a trigger. */
export class TriggerPlan {
  private readonly whileWaiting = (wait: () => Promise<boolean>) => this.leader.whileTriggered(wait);

  constructor(
    private readonly tree: JobTree,
    private readonly sharding: Sharding,
    private readonly events: JobEvents,
    private readonly leader: LeaderDuties,
  ) {}

  /**
   * Items as of a sync. During resharding it waits for the leader, up to `shardingTimeoutMs`.
   * @param asOf moment on the monotonic clock that the sync must not precede. @default now
   */
  async assign(trigger: Trigger, asOf?: number): Promise<readonly number[]> {
    const { events, tree } = this;
    const { jobName, fireTime } = trigger;
    const assigned = await this.sharding.assign(trigger, { signal: tree.signal, asOf }, this.whileWaiting);
    if (assigned.isOutdated) events.emit({ kind: 'sharding-timeout', jobName, fireTime });
    return assigned.items;
  }

  /** Tells that the trigger was taken, with its items. */
  tell(trigger: Trigger, items: readonly number[]): void {
    const { events, tree } = this;
    const taskId = formatTaskId(tree.jobName, items, tree.self.jobInstanceId);
    events.emit({ kind: 'triggered', trigger, taskId, items });
  }
}
