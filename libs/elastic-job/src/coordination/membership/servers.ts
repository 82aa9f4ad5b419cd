import type { Clock } from '../../clock/index.js';
import { decideRetention, type JobName, type RetainedServer, type RetentionDecision } from '../../domain/index.js';
import { creation, type Operation, type RegistryCenter } from '../../registry/index.js';
import { repeat } from '../../repeat/index.js';
import type { Configurations } from '../configuration/index.js';
import { type Authority, type JobTree, type JobTrees, type ServerStatus, untilCommitted } from '../job-tree/index.js';

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

const MINUTE_MS = 60_000;

/**
 * Limits a job's servers to those with instances and those that had some lately; every restarted pod leaves a node.
 *
 * State: `servers/{ip}` is persistent. `departed/{ip}`, which is ours, exists while the address has no instance. Its
 * ctime shows since when, so the time goes on however often leaders change. The leader looks whenever instances have
 * come or gone, and at each reconciliation.
 *
 * Guarantees: an address stays known for the retention time after its last instance was seen gone; then its nodes are
 * removed. An operator's DISABLED stays. Nothing is removed from under an instance: a removal needs the departed node,
 * which an instance deletes as it registers, and an instance that finds a server node registers only if it still
 * exists.
 *
 * Failures: a refused write is left to the next look. In a job with Java peers nothing departs and nothing is removed,
 * since Java writes its server before its instance and cleans up itself.
 */
export class ServerRetention {
  constructor(
    private readonly configurations: Configurations,
    private readonly clock: Clock,
  ) {}

  /** Checks the servers as leader, as of the last sync. Makes no request if nothing needs to be done. */
  async tidy(tree: JobTree, term: Authority): Promise<void> {
    const { serverRetentionMinutes } = this.configurations.current(tree.jobName);
    if (serverRetentionMinutes <= 0) return;
    const { signal } = term;
    const departed = tree.departures().map((serverIp) => tree.paths.departed(serverIp));
    await tree.load(departed, { signal });
    const decision = decideRetention(serversOf(tree), this.clock.wallNow(), serverRetentionMinutes * MINUTE_MS);
    for (const batch of batches(tree.registry, term.guard, changesOf(tree, decision))) {
      await tree.commit([...term.guard, ...batch.flat()], { signal });
    }
  }
}

/** Groups changes into batches that each fit one request. */
function* batches(
  registry: RegistryCenter,
  guard: readonly Operation[],
  changes: readonly Change[],
): Iterable<Change[]> {
  const empty = registry.transactionBytes([]);
  const room = registry.maxRequestBytes - registry.transactionBytes(guard);
  let batch: Change[] = [];
  let bytes = 0;
  for (const change of changes) {
    const added = registry.transactionBytes(change) - empty;
    if (batch.length > 0 && bytes + added > room) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(change);
    bytes += added;
  }
  if (batch.length > 0) yield batch;
}

/** Operations for one server, in one transaction. */
type Change = readonly Operation[];

function serversOf(tree: JobTree): RetainedServer[] {
  const inUse = new Set(tree.instances().map(({ serverIp }) => serverIp));
  return tree.servers().map((serverIp) => ({
    serverIp,
    isEnabled: tree.serverStatus(serverIp) === 'ENABLED',
    isInUse: inUse.has(serverIp),
    departedAt: tree.stat(tree.paths.departed(serverIp))?.ctime,
  }));
}

function changesOf(tree: JobTree, { departed, returned, expired }: RetentionDecision): Change[] {
  const { paths } = tree;
  const removedByHand = tree.departures().filter((serverIp) => !tree.has(paths.server(serverIp)));
  const back = [...returned, ...removedByHand].map((serverIp) => [remove(paths.departed(serverIp))]);
  if (tree.company.removesServers) return back;
  const parent = tree.has(paths.departures) || departed.length === 0 ? [] : [creation(paths.departures)];
  return [
    ...back,
    ...departed.map((serverIp, index) => [...(index === 0 ? parent : []), creation(paths.departed(serverIp))]),
    ...expired.map((serverIp) => [
      remove(paths.departed(serverIp)),
      remove(paths.server(serverIp), tree.stat(paths.server(serverIp))?.version),
    ]),
  ];
}

function remove(path: string, version?: number): Operation {
  return { kind: 'delete', path, version };
}
