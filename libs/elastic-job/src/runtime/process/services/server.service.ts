import type { RegisteredServer, Servers } from '../../../coordination/index.js';
import { type JobName, sharedClass } from '../../../domain/index.js';

/** The servers (IP addresses) on which a job has had instances. */
@sharedClass('ServerService')
export class ServerService {
  /** @internal */
  constructor(private readonly known: Servers) {}

  /** The servers, in Java's order, as of now. */
  servers(jobName: JobName): Promise<readonly RegisteredServer[]> {
    return this.known.servers(jobName);
  }
}
