import {
  inDescendingOrder,
  isInstanceId,
  type JobInstance,
  processOf,
  type ReportedOffset,
} from '../../domain/index.js';
import type { NodeStat, Operation, RegistryNode, Subtree } from '../../registry/index.js';
import { type Company, companyOf, Members } from './company.js';
import { DRAINING, instanceOf, isOfSession, parseClockOffset, type RegisteredInstance } from './node-texts.js';
import type { JobPaths } from './job-paths.js';

/** Texts of a server node. Java compares them exactly. */
export type ServerStatus = 'ENABLED' | 'DISABLED';

/** Nodes of a job as a view shows them: members, leader, and the state of the plan. */
export abstract class JobNodes {
  /** Undefined until somebody asks. From then on it follows the events. */
  private knownMembers: Members | undefined;
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

  /** Instances that are not registered, and have left an operator's request for a run. In no particular order. */
  lostRequests(): readonly string[] {
    return this.view.children(this.paths.triggers).filter((id) => isInstanceId(id) && !this.hasInstance(id));
  }

  /** All registered instances, in Java's order. */
  instances(): readonly RegisteredInstance[] {
    return this.members.all;
  }

  private get members(): Members {
    this.knownMembers ??= new Members(
      this.view.children(this.paths.instances).flatMap((id) => this.readInstance(id) ?? []),
    );
    return this.knownMembers;
  }

  private readInstance(instanceId: string): RegisteredInstance | undefined {
    // A new instance counts once its value is known; before that it could be a Java peer.
    return instanceOf(instanceId, this.view.node(this.paths.instance(instanceId)));
  }

  /** True if it is registered, even if its value is not known yet. */
  hasInstance(instanceId: string): boolean {
    const path = this.paths.instance(instanceId);
    const stat = this.stat(path);
    return stat === undefined ? this.has(path) : isOfSession(stat);
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
    return this.instances().filter((instance) => this.isAvailable(instance));
  }

  /** The instance, if it may get items. @see availableInstances */
  availableInstance(instanceId: string | undefined): RegisteredInstance | undefined {
    const instance = instanceId === undefined ? undefined : this.members.of(instanceId);
    return instance !== undefined && this.isAvailable(instance) ? instance : undefined;
  }

  private isAvailable({ jobInstanceId, serverIp }: RegisteredInstance): boolean {
    return this.serverStatus(serverIp) === 'ENABLED' && !this.isDraining(jobInstanceId);
  }

  protected isDraining(instanceId: string): boolean {
    return this.view.node(this.paths.session(instanceId))?.data === DRAINING;
  }

  /** Clock offsets that other processes have reported. A former session of this process does not count. */
  clockOffsets(): readonly ReportedOffset[] {
    const isOwn = (id: string) => processOf(id) === processOf(this.self.jobInstanceId);
    return this.view.children(this.paths.sessions).flatMap((jobInstanceId) => {
      const node = isOwn(jobInstanceId) ? undefined : this.view.node(this.paths.session(jobInstanceId));
      const offsetMs = node && parseClockOffset(node.data);
      return offsetMs === undefined ? [] : [{ jobInstanceId, offsetMs, reportedIn: node!.stat.mzxid }];
    });
  }

  /** Instances without our label: Java peers that share the job. */
  peers(): readonly string[] {
    return this.members.peers;
  }

  /** Ids of the instances that do not have an ability, in Java's order. */
  without(ability: string): readonly string[] {
    return this.members.without(ability);
  }

  serverStatus(serverIp: string): ServerStatus | undefined {
    const text = this.view.node(this.paths.server(serverIp))?.data;
    return text === 'ENABLED' || text === 'DISABLED' ? text : undefined;
  }

  servers(): string[] {
    return inDescendingOrder(this.view.children(this.paths.servers));
  }

  /** Addresses known to have no instance any more, in no particular order. */
  departures(): readonly string[] {
    return this.view.children(this.paths.departures);
  }

  /** True if an instance of this address is registered. */
  hasInstanceAt(serverIp: string): boolean {
    return this.members.hasAt(serverIp);
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
    return companyOf(this.members.hasJava);
  }

  /** Newest protocol that all registered instances of ours know. */
  get protocol(): number {
    return this.members.protocol;
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

  /** Follows the change of an instance's node. */
  protected noteInstance(instanceId: string): void {
    this.knownMembers?.note(instanceId, this.readInstance(instanceId));
  }

  /** Instances must be read anew. */
  protected forgetInstances(): void {
    this.knownMembers = undefined;
  }
}
