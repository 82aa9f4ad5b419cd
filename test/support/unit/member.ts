import {
  type JobInstance,
  type JobOptions,
  resolveJobOptions,
  type Trigger,
} from '../../../libs/elastic-job/src/domain/index.js';
import {
  MemoryRegistry,
  type MemoryRegistryCenter,
  type RegistryCenter,
} from '../../../libs/elastic-job/src/registry/index.js';
import { VirtualClock } from '../../../libs/elastic-job/src/testing/index.js';
import { Configurations } from '../../../libs/elastic-job/src/coordination/configuration/index.js';
import { type ExecutionLease, Executions } from '../../../libs/elastic-job/src/coordination/execution/index.js';
import { FailoverQueue, OrphanSweep } from '../../../libs/elastic-job/src/coordination/failover/index.js';
import { Guarantees } from '../../../libs/elastic-job/src/coordination/guarantee/index.js';
import { JobTree, JobTrees } from '../../../libs/elastic-job/src/coordination/job-tree/index.js';
import { Leadership, type LeadershipTerm } from '../../../libs/elastic-job/src/coordination/leadership/index.js';
import { Absences, Instances, ServerRetention } from '../../../libs/elastic-job/src/coordination/membership/index.js';
import { assertFitsOneTransaction, Sharding } from '../../../libs/elastic-job/src/coordination/sharding/index.js';

export const JOB = 'settle-orders';
export const SESSION_TIMEOUT_MS = 10_000;
const NO_AUTH = -102;

/** A registry with its time, and an operator with a shell. Requests take no time; only timers need `clock.advance`. */
export class Registry {
  readonly clock = new VirtualClock();
  readonly memory = new MemoryRegistry(this.clock);
  private members = 0;

  connect(): MemoryRegistryCenter {
    return this.memory.center({
      namespace: 'test',
      clock: this.clock,
      sessionTimeoutMs: SESSION_TIMEOUT_MS,
      requestTimeoutMs: 5_000,
    });
  }

  async operator(): Promise<RegistryCenter> {
    const center = this.connect();
    await center.connect();
    return center;
  }

  /** One instance that has all items, and an operator beside it. */
  static async ofOne(): Promise<{ registry: Registry; member: Member; operator: RegistryCenter }> {
    const registry = new Registry();
    const [member] = await registry.sharded(1);
    return { registry, member, operator: await registry.operator() };
  }

  /** A leader and another instance, and an operator beside them. */
  static async ofTwo(): Promise<{ registry: Registry; leader: Member; worker: Member; operator: RegistryCenter }> {
    const registry = new Registry();
    const [leader, worker] = await registry.sharded(2);
    return { registry, leader, worker: worker!, operator: await registry.operator() };
  }

  /** A connected process that knows the job, but has neither installed nor joined it. */
  async member(options: Partial<JobOptions> = {}, identity: Partial<JobInstance> = {}): Promise<Member> {
    const number = (this.members += 1);
    const center = this.connect();
    await center.connect();
    const serverIp = identity.serverIp ?? `10.0.0.${number}`;
    const self = { serverIp, jobInstanceId: `${serverIp}@-@${number}-${center.session.id}`, ...identity };
    const configuration = resolveJobOptions(
      { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 4, failover: true, ...options },
      { place: 'spec' },
    );
    const member = new Member(this, center, self);
    member.configurations.declare({ configuration, className: JOB, place: 'spec' });
    member.trees.declare(JOB);
    member.trees.set(await JobTree.open(center, this.clock, JOB, self));
    return member;
  }

  /** A member that has installed and joined the job. */
  async joined(options?: Partial<JobOptions>, identity?: Partial<JobInstance>): Promise<Member> {
    const member = await this.member(options, identity);
    await member.configurations.install(member.tree);
    await member.instances.join(member.tree, { isDisabled: () => false });
    await member.tree.sync();
    return member;
  }

  /** Members that have joined, led by the first of them, with an assignment. */
  async sharded(count: number, options?: Partial<JobOptions>): Promise<[Member, ...Member[]]> {
    const leader = await this.joined(options);
    const others: Member[] = [];
    while (others.length < count - 1) others.push(await this.joined(options));
    await leader.lead();
    for (const member of others) await member.tree.sync();
    return [leader, ...others];
  }

  /** Runs of items whose holder has died, swept by the leader. @returns the token of the last of them */
  async orphan(leader: Member, items: readonly number[], fireTime = 1_000): Promise<bigint> {
    const victim = await this.joined();
    const { lease } = await victim.begin(items, { fireTime });
    victim.die();
    await leader.orphans.sweep(leader.tree, leader.leader.term(JOB)!);
    await leader.tree.sync();
    return lease!.token(items.at(-1)!)!;
  }

  /** Refuses all writes below the items from now on. @returns a function that ends that */
  protect(...items: readonly number[]): () => void {
    const folders = items.map((item) => `/test/${JOB}/sharding/${item}/`);
    return this.memory.fail(({ kind, path }) =>
      kind !== 'check' && folders.some((folder) => path.startsWith(folder)) ? NO_AUTH : undefined,
    );
  }
}

/** The coordination services of one process, as the runtime makes them. */
export class Member {
  readonly trees = new JobTrees();
  readonly configurations: Configurations;
  readonly instances: Instances;
  readonly retention: ServerRetention;
  readonly leader: Leadership;
  readonly executions: Executions;
  readonly sharding: Sharding;
  readonly queue: FailoverQueue;
  readonly orphans: OrphanSweep;
  readonly guarantee: Guarantees;

  constructor(
    private readonly registry: Registry,
    readonly center: MemoryRegistryCenter,
    readonly self: JobInstance,
  ) {
    const { trees } = this;
    const { clock } = registry;
    this.configurations = new Configurations(trees, (job) => assertFitsOneTransaction(center, job));
    this.instances = new Instances(trees, clock);
    this.retention = new ServerRetention(this.configurations, clock);
    this.leader = new Leadership(trees, clock);
    this.executions = new Executions(trees, this.configurations, clock);
    this.sharding = new Sharding(trees, this.configurations, clock);
    this.queue = new FailoverQueue(trees, this.configurations, this.executions, clock);
    this.orphans = new OrphanSweep(
      this.configurations,
      clock,
      new Absences(clock, () => 1_000),
      new Absences(clock, () => 5_000),
    );
    this.guarantee = new Guarantees(trees, this.configurations, clock);
  }

  get id(): string {
    return this.self.jobInstanceId;
  }

  get sessionId(): string {
    return this.center.session.id!;
  }

  get tree(): JobTree {
    return this.trees.of(JOB);
  }

  /** The instance id in an item's running mark in the registry. */
  async holder(item: number): Promise<string | undefined> {
    return (await this.center.read(this.tree.paths.mark(item, 'running')))?.data;
  }

  /** Stands for election, wins, and makes an assignment. */
  async lead(): Promise<LeadershipTerm> {
    await this.tree.sync();
    const term = await this.leader.elect(this.tree);
    if (term === undefined) throw new Error(`${this.id} was not elected.`);
    await this.sharding.reshard(this.tree, term);
    return term;
  }

  /** Begins items for a fire time. */
  async begin(items: readonly number[], trigger: Partial<Trigger> = {}) {
    await this.tree.sync();
    return this.executions.begin({ trigger: triggerAt(1_000, trigger), items });
  }

  /** Ends items of a lease in success. @returns the outcomes, once they are settled */
  async end(lease: ExecutionLease, ...items: readonly number[]) {
    for (const item of items) lease.settle(item, SUCCEEDED);
    const settled = lease.settled();
    await this.registry.clock.advance(0);
    return settled;
  }

  /** Ends the session on the server, without informing the process. */
  die(): void {
    this.registry.memory.cutOff(this.sessionId);
  }
}

export function triggerAt(fireTime: number, trigger: Partial<Trigger> = {}): Trigger {
  return { jobName: JOB, fireTime, origin: 'schedule', source: 'NORMAL_TRIGGER', ...trigger };
}

export const SUCCEEDED = { kind: 'succeeded' } as const;

/** Runs an action between the next commit of a member and its reply. */
export function afterNextTransaction({ center }: Member, happen: () => Promise<unknown>): void {
  const transaction = center.transaction.bind(center);
  center.transaction = async (...request) => {
    center.transaction = transaction;
    const result = await transaction(...request);
    await happen();
    return result;
  };
}

/** Runs an action right before the next commit of a member. */
export function beforeNextTransaction({ center }: Member, happen: () => Promise<unknown>): void {
  const transaction = center.transaction.bind(center);
  center.transaction = async (...request) => {
    center.transaction = transaction;
    await happen();
    return transaction(...request);
  };
}

/** Runs an action between the next read of a member and its use. */
export function afterNextLoad({ tree }: Member, happen: () => Promise<unknown>): void {
  const load = tree.load.bind(tree);
  tree.load = async (paths, options) => {
    tree.load = load;
    await load(paths, options);
    await happen();
    return paths.every((path) => !tree.has(path) || tree.node(path) !== undefined);
  };
}
