import {
  type CoordinationServices,
  createCoordinationServices,
  formatInstance,
  JobTree,
} from '../../../libs/elastic-job/src/coordination/index.js';
import { JOB, Registry, triggerAt } from './member.js';
import {
  formatRunRecord,
  type JobOptions,
  PROTOCOL,
  resolveJobOptions,
  serverIpOf,
} from '../../../libs/elastic-job/src/domain/index.js';
import type { RegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';
import type { VirtualClock } from '../../../libs/elastic-job/src/testing/index.js';
import { type JobEvent, JobEvents } from '../../../libs/elastic-job/src/tracing/index.js';
import { LeaderDuties } from '../../../libs/elastic-job/src/runtime/leading/leader-duties.js';
import { TriggerPlan } from '../../../libs/elastic-job/src/runtime/triggering/trigger-plan.js';
import { hearTree } from './job-news.js';

export { JOB };
export const SELF = '10.0.0.2@-@1';
/** Two more of our instances, before and after this one in Java's order. The Java peer comes before all of them. */
export const FORMER = '10.0.0.3@-@1';
export const LATTER = '10.0.0.1@-@1';
export const JAVA = '10.0.0.9@-@4711';
export const NOBODY = '10.0.0.99@-@1';
export const RESHARD_DELAY_MS = 100;

/**
 * The duties of one instance, over a registry without latency. The test acts as all others, like an operator with a
 * shell.
 */
export class Duty {
  readonly clock: VirtualClock;
  private readonly errors: unknown[] = [];
  readonly duties: LeaderDuties;
  /** True while fire times come here. */
  isTicking = true;
  private readonly events: JobEvent[] = [];

  private constructor(
    readonly registry: Registry,
    readonly operator: RegistryCenter,
    readonly services: CoordinationServices,
    readonly tree: JobTree,
  ) {
    this.clock = registry.clock;
    const { clock } = registry;
    const events = new JobEvents();
    events.on((event) => void this.events.push(event));
    const schedule = Object.create(null, { willTick: { get: () => this.isTicking } });
    const scheduleClock = Object.create(null, { setTimer: { value: clock.setTimer.bind(clock) } });
    const report = () => (error: unknown) => void this.errors.push(error);
    const options = Object.assign(Object.create(null), { reshardDelayMs: RESHARD_DELAY_MS });
    const process = { events, options, scheduleClock, services };
    this.duties = new LeaderDuties(tree, process, schedule, undefined, report);
    hearTree(tree, this.duties);
  }

  /** An instance that has joined the job and has not begun its duties. */
  static async of(options: Partial<JobOptions> = {}): Promise<Duty> {
    const registry = new Registry();
    const center = registry.connect();
    await center.connect();
    const { clock } = registry;
    const services = createCoordinationServices({ registry: center, clock, javaReconnectGraceMs: 1_000 });
    const given = { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 4, failover: true, ...options };
    const configuration = resolveJobOptions(given, { place: 'spec' });
    services.configurations.declare({ configuration, className: JOB, place: 'spec' });
    services.trees.declare(JOB);
    const self = { jobInstanceId: SELF, serverIp: serverIpOf(SELF) };
    const tree = await JobTree.open(center, clock, JOB, self);
    services.trees.set(tree);
    await services.configurations.install(tree);
    await services.instances.join(tree, { isDisabled: () => false });
    return new Duty(registry, await registry.operator(), services, tree);
  }

  /** An instance that leads and has made its first plan. */
  static async leading(options?: Partial<JobOptions>): Promise<Duty> {
    const duty = await Duty.of(options);
    await duty.start();
    return duty;
  }

  async start(): Promise<void> {
    await this.clock.advanceUntil(this.duties.start());
  }

  /** The owner of each item. */
  get owners(): (string | undefined)[] {
    return this.tree.items().map((item) => this.tree.owner(item));
  }

  told<Kind extends JobEvent['kind']>(kind: Kind): Extract<JobEvent, { kind: Kind }>[] {
    return this.events.filter((event): event is Extract<JobEvent, { kind: Kind }> => event.kind === kind);
  }

  get warnings(): string[] {
    return this.told('warning').map(({ message }) => message);
  }

  /** Another instance registers. A Java peer is one whose id ends like that of `JAVA`. */
  async join(jobInstanceId: string): Promise<void> {
    const { operator, tree } = this;
    const { paths } = tree;
    const serverIp = serverIpOf(jobInstanceId);
    const isJava = jobInstanceId.endsWith('4711');
    const text = isJava ? `jobInstanceId: ${jobInstanceId}\n` : formatInstance({ jobInstanceId, serverIp });
    if (!tree.has(paths.server(serverIp))) await this.put(paths.server(serverIp), 'ENABLED');
    if (!isJava) await operator.create(paths.session(jobInstanceId), '', 'EPHEMERAL');
    await operator.create(paths.instance(jobInstanceId), text, 'EPHEMERAL');
    await this.clock.advance(0);
  }

  /** Removes the instance node. The session of one of ours lasts. */
  async remove(jobInstanceId: string): Promise<void> {
    await this.drop(this.tree.paths.instance(jobInstanceId));
  }

  /** Another instance becomes the leader of a job that has none. */
  async elect(jobInstanceId: string): Promise<void> {
    await this.operator.create(this.tree.paths.leader, jobInstanceId, 'EPHEMERAL');
    await this.clock.advance(0);
  }

  /** A fire time comes to this instance. */
  async trigger(): Promise<void> {
    const plan = new TriggerPlan(this.tree, this.services.sharding, new JobEvents(), this.duties);
    const assigning = plan.assign(triggerAt(this.clock.wallNow()));
    await this.clock.advanceUntil(assigning);
  }

  /** Makes a persistent node, with its parents, or changes it. */
  async put(path: string, data = ''): Promise<void> {
    const { operator } = this;
    await operator.ensurePath(path.slice(0, path.lastIndexOf('/')));
    if (await operator.exists(path)) await operator.set(path, data);
    else await operator.create(path, data, 'PERSISTENT');
    await this.clock.advance(0);
  }

  /** Changes the settings of the job in the registry. */
  async edit(before: string, after: string): Promise<void> {
    const { config } = this.tree.paths;
    await this.put(config, (await this.text(config))!.replace(before, after));
  }

  async drop(path: string): Promise<void> {
    await this.operator.delete(path);
    await this.clock.advance(0);
  }

  /** Text of a node in the registry. Undefined: there is no node. */
  async text(path: string): Promise<string | undefined> {
    return (await this.operator.read(path))?.data;
  }

  /** Writes the record of a run that has begun and not ended. The item bears no mark. @param by holder of the run */
  async putUnfinished(item: number, by: string, fireTime = this.clock.wallNow()): Promise<string> {
    const target = { fireTime, origin: 'schedule' } as const;
    const text = formatRunRecord({ run: 'r', by, target, attempt: 1, begunAt: fireTime }, PROTOCOL);
    await this.put(this.tree.paths.record(item), text);
    return text;
  }

  /** @returns errors since the last call */
  takeErrors(): readonly unknown[] {
    return this.errors.splice(0);
  }

  /** @throws errors that no spec has asked for */
  end(): void {
    this.duties.stop();
    this.tree.close(new Error('over'));
    if (this.errors.length > 0) throw this.errors[0];
  }
}
