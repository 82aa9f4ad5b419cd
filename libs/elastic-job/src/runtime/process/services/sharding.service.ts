import { publicCalls } from '../../../async-context/index.js';
import type { Sharding } from '../../../coordination/index.js';
import { sharedClass } from '../../../copies/index.js';
import type { JobName } from '../../../domain/index.js';

/** Assignment of items to instances. */
@sharedClass('ShardingService')
@publicCalls()
export class ShardingService {
  /** @internal */
  constructor(private readonly sharding: Sharding) {}

  /** Owner (instance id) of each assigned item now. */
  assignments(jobName: JobName): Promise<ReadonlyMap<number, string>> {
    return this.sharding.assignments(jobName);
  }

  /** Asks the leader for a new assignment. It comes with a later event; this call does not wait for it. */
  requestResharding(jobName: JobName): Promise<void> {
    return this.sharding.requestResharding(jobName);
  }
}
