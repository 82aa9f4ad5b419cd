import type { JobName } from '../../domain/index.js';
import type { JobTrees, ServerStatus } from '../job-tree/index.js';

/** A server as the job's tree knows it. */
export interface RegisteredServer {
  readonly serverIp: string;
  /** Undefined: the node holds something else; Java treats such a server as not usable. */
  readonly status: ServerStatus | undefined;
}

/** Which servers a job has run on, and whether an operator has disabled them. */
export class ServerService {
  constructor(private readonly trees: JobTrees) {}

  /** The servers, in Java's order, as of now. */
  async servers(jobName: JobName): Promise<readonly RegisteredServer[]> {
    const tree = this.trees.of(jobName);
    await tree.sync();
    return tree.servers().map((serverIp) => ({ serverIp, status: tree.serverStatus(serverIp) }));
  }
}
