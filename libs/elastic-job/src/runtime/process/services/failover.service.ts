// Covered by test/scenario/registering.spec.ts
import {
  confirmLost,
  type ConfirmLostOutcome,
  type FailoverQueue,
  type OverflowedItem,
  type PendingFailover,
} from '../../../coordination/index.js';
import { sharedClass } from '../../../copies/index.js';
import type { JobName, SettledOutcome } from '../../../domain/index.js';
import type { JobSession } from '../../session/index.js';

/** The items of crashed instances: what waits, and a way to run it here and now. */
@sharedClass('FailoverService')
export class FailoverService {
  /**
   * @internal
   * @param session the job's session; throws if there is none
   */
  constructor(
    private readonly queue: FailoverQueue,
    private readonly session: (jobName: JobName) => JobSession,
  ) {}

  /** The items that wait for failover, with cause and age, as of now. */
  pending(jobName: JobName): Promise<readonly PendingFailover[]> {
    return this.queue.pending(jobName);
  }

  /**
   * The items whose last run was lost because the queue was full, as of now. Of such an item the latest fire time that
   * is due is still caught up on, unless `misfire: false`; the one that was lost is not.
   */
  overflowed(jobName: JobName): Promise<readonly OverflowedItem[]> {
    return this.queue.overflowed(jobName);
  }

  /**
   * An operator's word that the executor of a run is gone for good, where nobody else can say (`UNREACHABLE`): the run
   * ends, and with failover the item runs again, though it does not count for `maxExecutorFailovers`. If the executor
   * still ran, its work would be done twice at once, and only the fencing token would tell the two apart. A run whose
   * handler can be reached is told to stop first.
   */
  confirmLost(jobName: JobName, item: number): Promise<ConfirmLostOutcome> {
    return confirmLost(this.session(jobName).tree, item);
  }

  /**
   * Claims waiting items until none is left for this instance, runs them, and tells what became of each. Instances do
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
