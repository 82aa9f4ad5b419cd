import {
  commonProtocol,
  type JobInstance,
  inJavaOrder,
  isInstanceId,
  processOf,
  serverIpOf,
  type ToldOffset,
} from '../../domain/index.js';
import type { NodeStat, RegistryNode, Subtree } from '../../registry/index.js';
import { type Company, companyOf } from './company.js';
import { DRAINING, parseClockOffset, parseInstance, type RegisteredInstance } from './instance-text.js';
import type { JobPaths } from './job-paths.js';
import { ReadOnce } from './read-once.js';

/** Java compares a server node with exactly these texts. */
export type ServerStatus = 'ENABLED' | 'DISABLED';

/** The nodes of a job as a view shows them: who is there, who leads, and whether the owners are up to date. */
export abstract class JobNodes {
  private readonly readInstances = new ReadOnce(({ path, data }) => {
    const id = path.slice(this.paths.instances.length + 1);
    return parseInstance(id, serverIpOf(id), data);
  });
  private knownCompany: Company | undefined;
  private knownProtocol: number | undefined;
  protected view!: Subtree;

  constructor(
    readonly paths: JobPaths,
    /** The instance that looks. */
    readonly self: JobInstance,
  ) {}

  node(path: string): RegistryNode | undefined {
    return this.view.node(path);
  }

  has(path: string): boolean {
    return this.view.has(path);
  }

  stat(path: string): NodeStat | undefined {
    return this.view.node(path)?.stat;
  }

  /** The paths of every node below a path, deepest first: the order in which they can be deleted. */
  descendants(path: string): string[] {
    return this.view.children(path).flatMap((name) => [...this.descendants(`${path}/${name}`), `${path}/${name}`]);
  }

  /** Every registered instance, in Java's order. */
  instances(): RegisteredInstance[] {
    // What somebody has put there by hand is no instance: it makes no job mixed, and is given no items.
    return inJavaOrder(this.view.children(this.paths.instances).filter(isInstanceId)).flatMap((id) => {
      const node = this.view.node(this.paths.instance(id));
      // One that has just come is known when its value is: until then nobody can say whether it is a Java peer.
      return node === undefined ? [] : [this.readInstances.of(node)];
    });
  }

  hasInstance(instanceId: string): boolean {
    return this.has(this.paths.instance(instanceId));
  }

  /** Its session lasts, and it is not done with the job: without its instance node, an operator has shut it down. */
  hasSession(instanceId: string): boolean {
    return this.has(this.paths.session(instanceId));
  }

  /**
   * The instances that may be given items: their server is enabled, and they are not on their way out. In Java's order.
   */
  availableInstances(): RegisteredInstance[] {
    return this.instances().filter(
      ({ jobInstanceId, serverIp }) => this.serverStatus(serverIp) === 'ENABLED' && !this.isDraining(jobInstanceId),
    );
  }

  protected isDraining(instanceId: string): boolean {
    return this.view.node(this.paths.session(instanceId))?.data === DRAINING;
  }

  /** What other processes have told of their clocks. A former session of this process is none of them. */
  clockOffsets(): readonly ToldOffset[] {
    const isOwn = (id: string) => processOf(id) === processOf(this.self.jobInstanceId);
    return this.view.children(this.paths.sessions).flatMap((jobInstanceId) => {
      const node = isOwn(jobInstanceId) ? undefined : this.view.node(this.paths.session(jobInstanceId));
      const offsetMs = node && parseClockOffset(node.data);
      return offsetMs === undefined ? [] : [{ jobInstanceId, offsetMs, toldIn: node!.stat.mzxid }];
    });
  }

  /** Instances without our label: the job is shared with Java. */
  peers(): string[] {
    return this.instances()
      .filter(({ isOurs }) => !isOurs)
      .map(({ jobInstanceId }) => jobInstanceId);
  }

  serverStatus(serverIp: string): ServerStatus | undefined {
    const text = this.view.node(this.paths.server(serverIp))?.data;
    return text === 'ENABLED' || text === 'DISABLED' ? text : undefined;
  }

  servers(): string[] {
    return inJavaOrder(this.view.children(this.paths.servers));
  }

  /** The addresses that are known to have no instance any more, in no particular order. */
  departures(): readonly string[] {
    return this.view.children(this.paths.departures);
  }

  /** An instance of this address is registered. */
  hasInstanceAt(serverIp: string): boolean {
    return this.view.children(this.paths.instances).some((id) => serverIpOf(id) === serverIp);
  }

  leader(): string | undefined {
    return this.view.node(this.paths.leader)?.data;
  }

  /** Differences that Java peers make, if the job has any: what only our instances understand decides nothing then. */
  get company(): Company {
    return (this.knownCompany ??= companyOf(this.peers().length > 0));
  }

  /** The newest protocol that everybody of ours who is registered knows. */
  get protocol(): number {
    return (this.knownProtocol ??= commonProtocol(this.instances().flatMap(({ protocol }) => protocol ?? [])));
  }

  /** The owners are out of date, or are being replaced: a trigger waits. */
  isReshardingPending(): boolean {
    return this.isReshardingNecessary() || (this.has(this.paths.reshardingProcessing) && !this.isProcessingLeftOver());
  }

  /**
   * Java writes `processing` as an ephemeral node: one that is not was left by somebody's hand, and nobody would remove
   * it.
   */
  isProcessingLeftOver(): boolean {
    const node = this.view.node(this.paths.reshardingProcessing);
    return node !== undefined && node.stat.ephemeralOwner === undefined;
  }

  isReshardingNecessary(): boolean {
    return this.has(this.paths.reshardingFlag);
  }

  /** Members have come or gone. */
  protected forgetInstances(): void {
    this.knownCompany = undefined;
    this.knownProtocol = undefined;
  }
}
