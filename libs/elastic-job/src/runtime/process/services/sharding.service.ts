// Covered by test/scenario/static-sharding.spec.ts
import type { Sharding } from '../../../coordination/index.js';
import { sharedClass } from '../../../copies/index.js';
import type { JobName } from '../../../domain/index.js';

/** Which instance has which items. */
@sharedClass('ShardingService')
export class ShardingService {
  /** @internal */
  constructor(private readonly sharding: Sharding) {}

  /** The owner (instance id) of each assigned item, as of now. */
  assignments(jobName: JobName): Promise<ReadonlyMap<number, string>> {
    return this.sharding.assignments(jobName);
  }

  /** Asks the leader for a new assignment. It comes with a later event; nothing is awaited here. */
  requestResharding(jobName: JobName): Promise<void> {
    return this.sharding.requestResharding(jobName);
  }
}
