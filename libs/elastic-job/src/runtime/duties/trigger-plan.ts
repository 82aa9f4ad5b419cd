import { formatTaskId, type Trigger } from '../../domain/index.js';
import type { JobContext } from '../leases/index.js';
import type { LeaderDuties } from './leader-duties.js';

/** Finds the items that this instance must run for a trigger. */
export class TriggerPlan {
  private readonly whileWaiting = (wait: () => Promise<boolean>) => this.leader.whileTriggered(wait);

  constructor(
    private readonly context: JobContext,
    private readonly leader: LeaderDuties,
  ) {}

  /**
   * Items as of a sync. During resharding it waits for the leader, up to `shardingTimeoutMs`.
   * @param asOf moment on the monotonic clock that the sync must not precede. @default now
   */
  async assign(trigger: Trigger, asOf?: number): Promise<readonly number[]> {
    const { events, services, tree } = this.context;
    const { jobName, fireTime } = trigger;
    const assigned = await services.sharding.assign(trigger, { signal: tree.signal, asOf }, this.whileWaiting);
    if (assigned.isOutdated) events.emit({ kind: 'sharding-timeout', jobName, fireTime });
    return assigned.items;
  }

  /** Tells that the trigger was taken, with its items. */
  tell(trigger: Trigger, items: readonly number[]): void {
    const { events, tree } = this.context;
    const taskId = formatTaskId(tree.jobName, items, tree.self.jobInstanceId);
    events.emit({ kind: 'triggered', trigger, taskId, items });
  }
}
