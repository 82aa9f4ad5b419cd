import type {
  BegunExecution,
  CoordinationServices,
  ExecutionLease,
} from '../../../libs/elastic-job/src/coordination/index.js';
import { JOB, type Member, Registry, triggerAt } from './member.js';
import {
  type ElasticJobListener,
  type JobOptions,
  readListener,
  Schedules,
  type ShardingContext,
  type Trigger,
} from '../../../libs/elastic-job/src/domain/index.js';
import { JobErrorHandlers, JobExecutor } from '../../../libs/elastic-job/src/executor/index.js';
import type { RegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';
import { type JobEvent, JobEvents } from '../../../libs/elastic-job/src/tracing/index.js';
import { JobSettings } from '../../../libs/elastic-job/src/runtime/settings/job-settings.js';
import { LateRuns } from '../../../libs/elastic-job/src/runtime/runs/process-context.js';
import { RunReports } from '../../../libs/elastic-job/src/runtime/runs/run-reports.js';
import type { JobWork } from '../../../libs/elastic-job/src/runtime/settings/job-definition.js';
import { leaseListeners, Leases } from '../../../libs/elastic-job/src/runtime/runs/leases.js';
import { RunningItems } from '../../../libs/elastic-job/src/runtime/runs/running-items.js';
import type { ScheduleClock } from '../../../libs/elastic-job/src/runtime/time/schedule-clock.js';
import { SettingsReports } from '../../../libs/elastic-job/src/runtime/settings/settings-reports.js';
import { TriggerGate } from '../../../libs/elastic-job/src/runtime/runs/trigger-gate.js';
import { HeardNews } from './job-news.js';

export const HUNG_GRACE_MS = 1_000;
export const LATE_AFTER_MS = 1_000;

/**
 * One job's session with the parts that begin and run its items, over the in-memory registry. Nothing begins by itself.
 */
export class OneSession {
  readonly running = new RunningItems();
  readonly events = new JobEvents();
  readonly told: JobEvent[] = [];
  /** Calls of the session by its parts, in order; handlers may add to them. */
  readonly heard: string[] = [];
  /** Item and origin of each run, in order. */
  readonly runs: string[] = [];
  /** Work of every item. */
  handler: (context: ShardingContext) => unknown = () => {};
  mayBegin = true;
  /** True if fire times are yet to come by the registry's clock: by its last known time, and by its own answer. */
  readonly ahead = { known: false, told: false };
  onItemEnded = (): void => {};
  readonly settings: JobSettings;
  readonly news = new HeardNews();
  /** Work of the job. A spec may change it. */
  readonly work: JobWork = { handler: (context) => this.handle(context) };
  readonly gate: TriggerGate;
  readonly leases: Leases;

  private constructor(
    readonly registry: Registry,
    readonly member: Member,
    readonly operator: RegistryCenter,
    listeners: readonly ElasticJobListener[],
  ) {
    const { events, running, clock, services, tree } = this;
    events.on((event) => void this.told.push(event));
    const news = new SettingsReports(clock);
    this.settings = new JobSettings(
      member.configurations.current(JOB),
      member.configurations,
      events,
      new Schedules(),
      news,
    );
    this.settings.apply(tree);
    const { ahead } = this;
    const time: Pick<ScheduleClock, 'isAhead' | 'hasCome' | 'wallNow'> = {
      wallNow: () => clock.wallNow(),
      isAhead: () => ahead.known,
      hasCome: () => Promise.resolve(!ahead.told),
    };
    const scheduleClock: ScheduleClock = Object.assign(Object.create(null), time);
    this.news.on({
      ItemsBegun: ({ former }) => this.heard.push(`begun ${[...former.keys()].join()}`),
      ItemsRefused: ({ refused }) => this.heard.push(`refused ${[...refused].join()}`),
      LeaseRuns: ({ lease }) => this.heard.push(`run ${lease.items.join()}`),
      ItemEnded: ({ item }) => {
        this.heard.push(`ended ${item}`);
        this.onItemEnded();
      },
    });
    const { news: feed, report, settings } = this;
    const executor = new JobExecutor(clock, { tokenEpoch: 0, hungGraceMs: HUNG_GRACE_MS });
    const errorHandlers = new JobErrorHandlers(clock, events, [], 1_000);
    const lateRuns = new LateRuns(clock, events, LATE_AFTER_MS);
    const process = { errorHandlers, events, lateRuns, scheduleClock };
    const reports = new RunReports(tree, settings, running, feed, process, report);
    const parts = { tree, guarantee: services.guarantee, executor, hungGraceMs: HUNG_GRACE_MS, reports };
    const called = leaseListeners(listeners.map(readListener), parts);
    const trueGate = (this.gate = new TriggerGate(tree, settings, events));
    const gate = Object.create(null, {
      mayBegin: { get: () => this.mayBegin },
      mayBeginUnasked: { get: () => this.mayBegin && trueGate.mayBeginUnasked },
    });
    const job = { work: this.work, settings, running, executor };
    this.leases = new Leases(tree, services, job, gate, reports, called, undefined);
  }

  /** One instance that has all items. There are no sweeps, plans or ticks. */
  static async start(
    options: Partial<JobOptions> = {},
    listeners: readonly ElasticJobListener[] = [],
  ): Promise<OneSession> {
    const registry = new Registry();
    const [member] = await registry.sharded(1, options);
    return new OneSession(registry, member, await registry.operator(), listeners);
  }

  get clock() {
    return this.registry.clock;
  }

  get tree() {
    return this.member.tree;
  }

  get paths() {
    return this.tree.paths;
  }

  get services(): CoordinationServices {
    const { executions, guarantee, queue, sharding } = this.member;
    return Object.assign(Object.create(null), { executions, guarantee, queue, sharding });
  }

  readonly report = (work: string) => (error: unknown) => void this.heard.push(`${work}: ${String(error)}`);

  begin(items: readonly number[], trigger: Partial<Trigger> = {}): Promise<BegunExecution> {
    return this.leases.begin(triggerAt(1_000, trigger), items);
  }

  /** Begins items, and runs them until they end or wait. */
  async run(items: readonly number[], trigger?: Partial<Trigger>): Promise<ExecutionLease> {
    const { lease } = await this.begin(items, trigger);
    this.leases.start(lease!, 'a lease');
    await this.clock.advance(0);
    return lease!;
  }

  toldOf<Kind extends JobEvent['kind']>(kind: Kind): Extract<JobEvent, { kind: Kind }>[] {
    return this.told.filter((event): event is Extract<JobEvent, { kind: Kind }> => event.kind === kind);
  }

  /** Marks the item as run by another instance. */
  async markElsewhere(item: number): Promise<void> {
    await this.operator.create(this.paths.mark(item, 'running'), '10.0.0.99@-@1', 'PERSISTENT');
    await this.clock.advance(0);
  }

  /** Disables this instance's server as an operator. */
  async disableServer(): Promise<void> {
    await this.operator.set(this.paths.server(this.member.self.serverIp), 'DISABLED');
  }

  async releaseElsewhere(item: number): Promise<void> {
    await this.operator.delete(this.paths.mark(item, 'running'));
    await this.clock.advance(0);
  }

  private handle(context: ShardingContext): unknown {
    const { shardingItem, trigger } = context;
    this.runs.push(`${shardingItem} ${trigger === 'schedule' ? trigger : trigger.id}`);
    return this.handler(context);
  }
}
