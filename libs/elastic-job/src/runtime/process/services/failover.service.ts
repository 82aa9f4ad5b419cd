import { publicCalls } from '../../../async-context/index.js';
import {
  confirmLost,
  type ConfirmLostOutcome,
  type FailoverQueue,
  type OverflowedItem,
  type PendingFailover,
} from '../../../coordination/index.js';
import { sharedClass } from '../../../copies/index.js';
import type { JobName, SettledOutcome } from '../../../domain/index.js';
import type { JobSession } from '../../job/index.js';

/** Items of crashed instances that wait for failover, and a way to run them here and now. */
@sharedClass('FailoverService')
@publicCalls()
export class FailoverService {
  /**
   * @internal
   * @param session returns the job's session; throws if there is none
   */
  constructor(
    private readonly queue: FailoverQueue,
    private readonly session: (jobName: JobName) => JobSession,
  ) {}

  /** Items that wait for failover now, with cause and age. */
  pending(jobName: JobName): Promise<readonly PendingFailover[]> {
    return this.queue.pending(jobName);
  }

  /**
   * Items whose last run was lost because the queue was full. Unless `misfire: false`, the latest due fire time of such
   * an item is still caught up on; the lost one is not.
   */
  overflowed(jobName: JobName): Promise<readonly OverflowedItem[]> {
    return this.queue.overflowed(jobName);
  }

  /**
   * Records an operator's confirmation that the executor of a run is gone for good, when the backend cannot tell
   * (`UNREACHABLE`). The run ends, and with failover the item runs again, without counting for `maxExecutorFailovers`.
   * If the executor still ran, the work would be done twice at once, and only the fencing token would tell the two
   * apart. A run whose handler can be reached is told to stop first.
   */
  confirmLost(jobName: JobName, item: number): Promise<ConfirmLostOutcome> {
    return confirmLost(this.session(jobName).tree, item);
  }

  /**
   * Claims waiting items until none is left for this instance, runs them, and returns the outcome of each. Instances do
   * this by themselves; call it to help without waiting.
   */
  async claim(jobName: JobName): Promise<ReadonlyMap<number, SettledOutcome>> {
    const session = this.session(jobName);
    const runs: Promise<ReadonlyMap<number, SettledOutcome>>[] = [];
    for (let claim = await session.claim(); claim !== 'empty'; claim = await session.claim()) {
      if (claim !== 'lost') runs.push(claim.settled());
    }
    return new Map((await Promise.all(runs)).flatMap((outcomes) => [...outcomes]));
  }
}
