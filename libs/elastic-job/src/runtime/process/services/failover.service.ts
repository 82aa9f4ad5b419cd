// Covered by test/scenario/registering.spec.ts
import type { FailoverQueue, OverflowedItem, PendingFailover } from '../../../coordination/index.js';
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
