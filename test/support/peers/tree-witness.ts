import { SystemClock } from '../../../libs/elastic-job/src/clock/index.js';
import {
  type RegistryNode,
  type Subtree,
  ZooKeeperRegistryCenter,
} from '../../../libs/elastic-job/src/registry/index.js';
import { createShardingStrategy, inDescendingOrder, planSharding } from '../../../libs/elastic-job/src/domain/index.js';

export interface WitnessOptions {
  readonly servers: string;
  readonly namespace: string;
  readonly job: string;
  /** Called after the tree shows a change. */
  readonly onChange: () => void;
}

/** Watches one job's tree from outside, without being an instance of the job. */
export class TreeWitness {
  private constructor(
    readonly registry: ZooKeeperRegistryCenter,
    private readonly job: string,
    private readonly view: Subtree,
    private readonly listeners: Set<() => void>,
  ) {}

  static async open({ servers, namespace, job, onChange }: WitnessOptions): Promise<TreeWitness> {
    const registry = new ZooKeeperRegistryCenter({ servers, namespace }, new SystemClock());
    await registry.connect();
    const listeners = new Set([onChange]);
    const view = await registry.openSubtree(`/${job}`, () => listeners.forEach((listener) => listener()));
    return new TreeWitness(registry, job, view, listeners);
  }

  /** Called after the tree shows a change. @returns a function that removes the listener */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** The text of a node of the job, such as `leader/election/instance`; undefined if there is none. */
  text(path: string): string | undefined {
    return this.view.node(`/${this.job}/${path}`)?.data;
  }

  has(path: string): boolean {
    return this.view.has(`/${this.job}/${path}`);
  }

  /** The children in the order in which Java reads them. */
  children(path: string): readonly string[] {
    return inDescendingOrder(this.view.children(`/${this.job}/${path}`));
  }

  /** The address of the leader, if there is one. */
  leader(): string | undefined {
    const id = this.text('leader/election/instance');
    return id && addressOf(id);
  }

  /** The addresses of the live instances. */
  members(): readonly string[] {
    return this.children('instances').map(addressOf);
  }

  /** The instance that owns each item, by its address; undefined where an item has none. */
  owners(total: number): readonly (string | undefined)[] {
    const ids = Array.from({ length: total }, (_, item) => this.text(`sharding/${item}/instance`));
    return ids.map((id) => id && addressOf(id));
  }

  /** The instance that has marked each item as running, by its address. */
  holders(total: number): readonly (string | undefined)[] {
    const ids = Array.from({ length: total }, (_, item) => this.text(`sharding/${item}/running`));
    return ids.map((id) => id && addressOf(id));
  }

  /** True if no change of the owners is pending. */
  isSettled(): boolean {
    return !this.has('leader/sharding/necessary') && !this.has('leader/sharding/processing');
  }

  /** Resolves when it has seen all earlier changes, because the message of a peer may arrive before the change. */
  sync(): Promise<void> {
    return this.view.sync();
  }

  async write(path: string, data: string): Promise<void> {
    await this.registry.ensurePath(`/${this.job}/${path}`);
    await this.registry.set(`/${this.job}/${path}`, data);
  }

  /** Sets the flag as a starting instance does. */
  async requestResharding(): Promise<void> {
    await this.registry.ensurePath(`/${this.job}/leader/sharding/necessary`);
  }

  /**
   * True if exactly these peers are in the job, and each item has the owner that the job's strategy gives it. It checks
   * the owners too, because a view learns of the end of a plan before it has read the last of them.
   */
  isSharedBy(peers: readonly { readonly ip: string }[], total: number): boolean {
    return this.isPlannedFor(peers) && this.owners(total).join() === this.split(total).join();
  }

  /** True if exactly these peers are in the job, and no change of the owners is pending. */
  isPlannedFor(peers: readonly { readonly ip: string }[]): boolean {
    return this.isSettled() && this.hasMembers(peers);
  }

  /** True if exactly these peers are in the job, and the next trigger shares it. */
  awaitsPlanFor(peers: readonly { readonly ip: string }[]): boolean {
    return this.has('leader/sharding/necessary') && this.hasMembers(peers);
  }

  /** True if no item runs and no change of the owners is pending. */
  isAtRest(): boolean {
    return this.isSettled() && this.children('sharding').every((item) => !this.has(`sharding/${item}/running`));
  }

  /** Every node below the job's, in the order of a dump. */
  nodes(): readonly RegistryNode[] {
    return this.below(`/${this.job}`);
  }

  async stop(): Promise<void> {
    this.view.close();
    await this.registry.close();
  }

  private hasMembers(peers: readonly { readonly ip: string }[]): boolean {
    const expected = peers.map(({ ip }) => ip).toSorted();
    return this.members().toSorted().join() === expected.join();
  }

  private split(total: number): readonly string[] {
    const instances = this.children('instances').map((id) => ({ jobInstanceId: id, serverIp: addressOf(id) }));
    const strategy = createShardingStrategy(this.strategy());
    return [...planSharding(strategy, instances, this.job, total, this.present(total)).values()].map(addressOf);
  }

  /** The instance id of each item's owner. */
  private present(total: number): ReadonlyMap<number, string> {
    const owners = Array.from({ length: total }, (_, item) => this.text(`sharding/${item}/instance`));
    return new Map(owners.flatMap((owner, item) => (owner === undefined ? [] : [[item, owner]])));
  }

  /** The strategy as docs/interop.md says: Java's average where Java plans as well, or has written the settings. */
  private strategy(): string {
    const config = this.text('config') ?? '';
    const named = /^jobShardingStrategyType: (\w+)$/m.exec(config)?.[1];
    const hasJava = this.children('instances').some(
      (id) => !this.text(`instances/${id}`)?.includes('nestjs-elastic-job/'),
    );
    const isJavas = !config.includes('nestjs.clockChange');
    return named ?? (hasJava || isJavas ? 'AVG_ALLOCATION' : 'BALANCED');
  }

  private below(path: string): readonly RegistryNode[] {
    return inDescendingOrder(this.view.children(path)).flatMap((name) => {
      const node = this.view.node(`${path}/${name}`);
      return node === undefined ? [] : [node, ...this.below(node.path)];
    });
  }
}

function addressOf(instanceId: string): string {
  return instanceId.split('@-@')[0]!;
}
