import type { RegisteredServer, Servers } from '../../../coordination/index.js';
import { sharedClass } from '../../../copies/index.js';
import type { JobName } from '../../../domain/index.js';

/** The servers (IP addresses) on which a job has had instances. */
@sharedClass('ServerService')
export class ServerService {
  /** @internal */
  constructor(private readonly known: Servers) {}

  /** The servers now, in Java's order. */
  servers(jobName: JobName): Promise<readonly RegisteredServer[]> {
    return this.known.servers(jobName);
  }
}
