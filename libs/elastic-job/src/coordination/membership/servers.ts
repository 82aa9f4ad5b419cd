import type { JobName } from '../../domain/index.js';
import { creation } from '../../registry/index.js';
import { type JobTree, type JobTrees, type ServerStatus, untilCommitted } from '../job-tree/index.js';

/** A server as the job's tree knows it. */
export interface RegisteredServer {
  readonly serverIp: string;
  /** Undefined: the node holds something else; Java treats such a server as not usable. */
  readonly status: ServerStatus | undefined;
}

/** Which servers a job has run on, and whether an operator has disabled them. */
export class Servers {
  /** What the own server node said last. */
  private readonly lastStatus = new WeakMap<JobTree, ServerStatus>();

  constructor(private readonly trees: JobTrees) {}

  /** The servers, in Java's order, as of now. */
  async servers(jobName: JobName): Promise<readonly RegisteredServer[]> {
    const tree = this.trees.of(jobName);
    await tree.sync();
    return tree.servers().map((serverIp) => ({ serverIp, status: tree.serverStatus(serverIp) }));
  }

  /**
   * Creates the own server node again if it has vanished while this instance is registered, with the status that it
   * had: a Java instance that starts deletes it if the two look past each other, and would give this one no items for
   * ever. Call it whenever the node may have changed. Costs no request while the node is there.
   * @see ElasticJob, `ServerService.removeOfflineServers`
   */
  async keep(tree: JobTree): Promise<void> {
    const { paths, self, signal } = tree;
    await untilCommitted(tree, 'keeping the server node', async () => {
      const status = tree.serverStatus(self.serverIp);
      if (status !== undefined) this.lastStatus.set(tree, status);
      if (tree.has(paths.server(self.serverIp)) || !tree.hasInstance(self.jobInstanceId)) return true;
      // Somebody may have removed all of them by hand.
      const parent = tree.has(paths.servers) ? [] : [creation(paths.servers)];
      const data = this.lastStatus.get(tree) ?? 'ENABLED';
      const isHere = { kind: 'check', path: paths.instance(self.jobInstanceId) } as const;
      const result = await tree.commit([isHere, ...parent, creation(paths.server(self.serverIp), data)], { signal });
      return result.kind === 'committed' || undefined;
    });
  }
}
