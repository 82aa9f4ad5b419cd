import { publicCalls } from '../../../async-context/index.js';
import type { RegisteredServer, Servers } from '../../../coordination/index.js';
import { sharedClass } from '../../../copies/index.js';
import type { JobName } from '../../../domain/index.js';

/** The servers (IP addresses) on which a job has had instances. */
@sharedClass('ServerService')
@publicCalls()
export class ServerService {
  /** @internal */
  constructor(private readonly known: Servers) {}

  /** The servers now, in Java's order. */
  servers(jobName: JobName): Promise<readonly RegisteredServer[]> {
    return this.known.servers(jobName);
  }
}
