import {
  commonProtocol,
  type JobInstance,
  inJavaOrder,
  isInstanceId,
  processOf,
  serverIpOf,
  type ToldOffset,
} from '../../domain/index.js';
import type { NodeStat, Operation, RegistryNode, Subtree } from '../../registry/index.js';
import { type Company, companyOf } from './company.js';
import { DRAINING, parseClockOffset, parseInstance, type RegisteredInstance } from './instance-text.js';
import type { JobPaths } from './job-paths.js';
import { ReadOnce } from './read-once.js';

/** Texts of a server node. Java compares them exactly. */
export type ServerStatus = 'ENABLED' | 'DISABLED';

/** Nodes of a job as a view shows them: members, leader, and the state of the plan. */
export abstract class JobNodes {
  private readonly readInstances = new ReadOnce(({ path, data }) => {
    const id = path.slice(this.paths.instances.length + 1);
    return parseInstance(id, serverIpOf(id), data);
  });
  private knownInstances: readonly RegisteredInstance[] | undefined;
  private knownCompany: Company | undefined;
  private knownProtocol: number | undefined;
  protected view!: Subtree;

  constructor(
    readonly paths: JobPaths,
    /** The instance that reads the tree. */
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

  /** Paths of all nodes below a path, deepest first, which is the order in which they can be deleted. */
  descendants(path: string): string[] {
    return this.view.children(path).flatMap((name) => [...this.descendants(`${path}/${name}`), `${path}/${name}`]);
  }

  /** All registered instances, in Java's order. */
  instances(): readonly RegisteredInstance[] {
    this.knownInstances ??= this.readAllInstances();
    return this.knownInstances;
  }

  private readAllInstances(): readonly RegisteredInstance[] {
    // Nodes put there by hand are not instances: they make no job mixed and get no items.
    return inJavaOrder(this.view.children(this.paths.instances).filter(isInstanceId)).flatMap((id) => {
      const node = this.view.node(this.paths.instance(id));
      // A new instance counts once its value is known; before that it could be a Java peer.
      return node === undefined ? [] : [this.readInstances.of(node)];
    });
  }

  hasInstance(instanceId: string): boolean {
    return this.has(this.paths.instance(instanceId));
  }

  /**
   * True if its session lasts and it has not left the job. If its instance node is missing, an operator has shut it
   * down.
   */
  hasSession(instanceId: string): boolean {
    return this.has(this.paths.session(instanceId));
  }

  /** Instances that may get items, in Java's order: their server is enabled and they are not leaving. */
  availableInstances(): RegisteredInstance[] {
    return this.instances().filter(
      ({ jobInstanceId, serverIp }) => this.serverStatus(serverIp) === 'ENABLED' && !this.isDraining(jobInstanceId),
    );
  }

  protected isDraining(instanceId: string): boolean {
    return this.view.node(this.paths.session(instanceId))?.data === DRAINING;
  }

  /** Clock offsets that other processes have reported. A former session of this process does not count. */
  clockOffsets(): readonly ToldOffset[] {
    const isOwn = (id: string) => processOf(id) === processOf(this.self.jobInstanceId);
    return this.view.children(this.paths.sessions).flatMap((jobInstanceId) => {
      const node = isOwn(jobInstanceId) ? undefined : this.view.node(this.paths.session(jobInstanceId));
      const offsetMs = node && parseClockOffset(node.data);
      return offsetMs === undefined ? [] : [{ jobInstanceId, offsetMs, toldIn: node!.stat.mzxid }];
    });
  }

  /** Instances without our label: Java peers that share the job. */
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

  /** Addresses known to have no instance any more, in no particular order. */
  departures(): readonly string[] {
    return this.view.children(this.paths.departures);
  }

  /** True if an instance of this address is registered. */
  hasInstanceAt(serverIp: string): boolean {
    return this.view.children(this.paths.instances).some((id) => serverIpOf(id) === serverIp);
  }

  /**
   * Guard of a decision that depends on the settings: refused if `config` was written since it was read. Empty if there
   * is none.
   */
  configAsRead(): Operation[] {
    const path = this.paths.config;
    const stat = this.stat(path);
    return stat === undefined ? [] : [{ kind: 'check', path, version: stat.version }];
  }

  leader(): string | undefined {
    return this.view.node(this.paths.leader)?.data;
  }

  /**
   * Differences that Java peers make, if the job has any; additions that only our instances understand must decide
   * nothing then.
   */
  get company(): Company {
    return (this.knownCompany ??= companyOf(this.peers().length > 0));
  }

  /** Newest protocol that all registered instances of ours know. */
  get protocol(): number {
    return (this.knownProtocol ??= commonProtocol(this.instances().flatMap(({ protocol }) => protocol ?? [])));
  }

  /** True if the owners are outdated or being replaced, so that a trigger must wait. */
  isReshardingPending(): boolean {
    return this.isReshardingNecessary() || (this.has(this.paths.reshardingProcessing) && !this.isProcessingLeftOver());
  }

  /**
   * True if `processing` is not ephemeral. Java creates it as ephemeral, so such a node was left by hand, and no peer
   * would remove it.
   */
  isProcessingLeftOver(): boolean {
    const node = this.view.node(this.paths.reshardingProcessing);
    return node !== undefined && node.stat.ephemeralOwner === undefined;
  }

  isReshardingNecessary(): boolean {
    return this.has(this.paths.reshardingFlag);
  }

  /** Forgets derived values, because members have come or gone. */
  protected forgetInstances(): void {
    this.knownInstances = undefined;
    this.knownCompany = undefined;
    this.knownProtocol = undefined;
  }
}
