import { publicCalls } from '../../../async-context/index.js';
import type { Instances, RegisteredInstance } from '../../../coordination/index.js';
import { sharedClass } from '../../../copies/index.js';
import type { JobName } from '../../../domain/index.js';

/** The processes that take part in a job. */
@sharedClass('InstanceService')
@publicCalls()
export class InstanceService {
  /** @internal */
  constructor(private readonly members: Instances) {}

  /** Registered instances now, in Java's order. */
  instances(jobName: JobName): Promise<readonly RegisteredInstance[]> {
    return this.members.instances(jobName);
  }
}
