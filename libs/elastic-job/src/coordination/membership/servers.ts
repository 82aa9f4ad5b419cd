import type { JobName } from '../../domain/index.js';
import { creation } from '../../registry/index.js';
import { type JobTree, type JobTrees, type ServerStatus, untilCommitted } from '../job-tree/index.js';
import { repeat } from '../../repeat/index.js';

/** A server in the job's tree. */
export interface RegisteredServer {
  readonly serverIp: string;
  /** Undefined if the node holds another text, in which case Java treats the server as unusable. */
  readonly status: ServerStatus | undefined;
}

/** Servers on which a job has run, and their switches. */
export class Servers {
  /** Last status of the own server node. */
  private readonly lastStatus = new WeakMap<JobTree, ServerStatus>();

  constructor(private readonly trees: JobTrees) {}

  /** The servers now, in Java's order. */
  async servers(jobName: JobName): Promise<readonly RegisteredServer[]> {
    const tree = this.trees.of(jobName);
    await tree.sync();
    return tree.servers().map((serverIp) => ({ serverIp, status: tree.serverStatus(serverIp) }));
  }

  /**
   * Creates the own server node again, with its last status, if it has vanished while this instance is registered: a
   * starting Java instance deletes it if both start at the same time, and would never give this one items. Call it
   * whenever the node may have changed. No request while the node exists.
   * @see ElasticJob, `ServerService.removeOfflineServers`
   */
  async keep(tree: JobTree): Promise<void> {
    const { paths, self, signal } = tree;
    await repeat(untilCommitted(tree, 'keeping the server node'), async () => {
      const status = tree.serverStatus(self.serverIp);
      if (status !== undefined) this.lastStatus.set(tree, status);
      if (tree.has(paths.server(self.serverIp)) || !tree.hasInstance(self.jobInstanceId)) return true;
      // All of them may have been removed by hand.
      const parent = tree.has(paths.servers) ? [] : [creation(paths.servers)];
      const data = this.lastStatus.get(tree) ?? 'ENABLED';
      const isHere = { kind: 'check', path: paths.instance(self.jobInstanceId) } as const;
      const result = await tree.commit([isHere, ...parent, creation(paths.server(self.serverIp), data)], { signal });
      return result.kind === 'committed' || undefined;
    });
  }
}
