import type {
  BegunExecution,
  CoordinationServices,
  ExecutionLease,
  JobTree,
} from '../../../libs/elastic-job/src/coordination/index.js';
import { JOB, type Member, Registry, SUCCEEDED, triggerAt } from './member.js';
import {
  formatStartLedger,
  type JobOptions,
  NO_STARTS,
  Schedules,
  type Span,
  type Start,
  type Trigger,
} from '../../../libs/elastic-job/src/domain/index.js';
import type { RegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';
import { JobEvents, type JobEvent } from '../../../libs/elastic-job/src/tracing/index.js';
import { CatchUp } from '../../../libs/elastic-job/src/runtime/triggering/catch-up.js';
import { MissedFireTimes, OwedFireTimes } from '../../../libs/elastic-job/src/runtime/triggering/owed-fire-times.js';
import type { JobSchedule } from '../../../libs/elastic-job/src/runtime/settings/job-schedule.js';
import { JobSettings } from '../../../libs/elastic-job/src/runtime/settings/job-settings.js';
import { MisfireFlags } from '../../../libs/elastic-job/src/runtime/triggering/tick.js';
import type { Leases } from '../../../libs/elastic-job/src/runtime/runs/leases.js';
import { OperatorSwitches } from '../../../libs/elastic-job/src/runtime/triggering/operator-switches.js';
import { RunningItems } from '../../../libs/elastic-job/src/runtime/runs/running-items.js';
import type { ScheduleClock } from '../../../libs/elastic-job/src/runtime/time/schedule-clock.js';
import { SettingsReports } from '../../../libs/elastic-job/src/runtime/settings/settings-reports.js';
import { TriggerGate } from '../../../libs/elastic-job/src/runtime/runs/trigger-gate.js';
import { HeardNews, hearTree } from './job-news.js';

const START = Date.UTC(2030, 0, 1);
const MINUTE = 60_000;

/** The instant that many minutes after the job was written. Each full minute is a fire time. */
export function minute(count: number): number {
  return START + count * MINUTE;
}

function minuteOf(time: number): number {
  return (time - START) / MINUTE;
}

/**
 * One instance that has the items 0 and 1, with its owed fire times. Nothing ticks: fire times pass without a begin.
 */
export class OwingJob {
  readonly tree: JobTree;
  readonly settings: JobSettings;
  readonly switches: OperatorSwitches;
  readonly gate: TriggerGate;
  readonly owed: OwedFireTimes;
  readonly missedFireTimes: MissedFireTimes;
  readonly catchUp: CatchUp;
  readonly misfireFlags: MisfireFlags;
  readonly running = new RunningItems();
  /** Runs that caught up, as `item@minute`. */
  readonly runs: string[] = [];
  readonly told: JobEvent[] = [];
  readonly failures: unknown[] = [];
  /** The items that operators' triggers wait for. */
  readonly awaited = new Set<number>();
  excluded: readonly Span[] | undefined = [];
  /** Milliseconds that the host's clock is ahead of the registry's. */
  aheadMs = 0;
  /** True if runs that begin do not end. */
  isSlow = false;
  missedCount = 0;

  static async of(options: Partial<JobOptions> = {}): Promise<OwingJob> {
    const registry = new Registry();
    const [member] = await registry.sharded(1, { shardingTotalCount: 2, ...options });
    return new OwingJob(registry, member, await registry.operator());
  }

  /** An instance that began both items for minute 1, and nothing since. */
  static async sinceMinute1(options?: Partial<JobOptions>): Promise<OwingJob> {
    const job = await OwingJob.of(options);
    await job.ran(1);
    return job;
  }

  private constructor(
    readonly registry: Registry,
    readonly member: Member,
    readonly operator: RegistryCenter,
  ) {
    const { center, configurations, executions, sharding, tree } = member;
    const { clock } = registry;
    const events = new JobEvents();
    events.on((event) => void this.told.push(event));
    center.time = () => ({ earliest: clock.wallNow() - this.aheadMs, latest: clock.wallNow() - this.aheadMs });
    const scheduleClock: ScheduleClock = Object.assign(Object.create(null), {
      fromRegistry: (ms: number) => ({ own: ms + this.aheadMs, shared: ms }),
      now: () => Promise.resolve(clock.wallNow()),
      wallNow: () => clock.wallNow(),
      sharedNow: () => clock.wallNow() - this.aheadMs,
    });
    const services: CoordinationServices = Object.assign(Object.create(null), { executions, sharding });
    const leases: Leases = Object.assign(Object.create(null), {
      running: this.running,
      beginAndRun: async (trigger: Trigger, items: readonly number[]) => {
        const { lease, refused } = await this.begin(trigger, items);
        if (lease !== undefined) this.start(lease);
        return refused;
      },
    });
    this.tree = tree;
    const news = new SettingsReports(clock);
    this.settings = new JobSettings(configurations.current(JOB), configurations, events, new Schedules(), news);
    this.settings.apply(tree);
    const shared = ({ after, until }: Span) => ({ after: after - this.aheadMs, until: until - this.aheadMs });
    const excluded = () => this.excluded?.map((span) => ({ ...span, shared: shared(span) }));
    const { settings } = this;
    const heard = new HeardNews();
    heard.on({ FireTimesMissed: ({ count }) => (this.missedCount += count) });
    const schedule: Pick<JobSchedule, 'excluded'> = Object.create(null, { excluded: { get: excluded } });
    const report = () => (error: unknown) => void this.failures.push(error);
    this.switches = new OperatorSwitches(tree, scheduleClock, events);
    hearTree(tree, this.switches);
    this.gate = new TriggerGate(tree, settings, events);
    this.owed = new OwedFireTimes(tree, settings, schedule, scheduleClock, this.switches, this.gate);
    this.missedFireTimes = new MissedFireTimes(tree, settings, events, heard, this.gate, this.owed);
    const { missedFireTimes: missed, owed } = this;
    const manual = { awaited: this.awaited };
    this.catchUp = new CatchUp(tree, services, leases, owed, missed, manual, report);
    const onFlagged = (items: readonly number[]) => this.catchUp.flagged(items);
    this.misfireFlags = new MisfireFlags(tree, settings, executions, events, undefined, report, onFlagged);
  }

  /** Begins items as `Leases` does. A spec may replace it. */
  begin = async (trigger: Trigger, items: readonly number[]): Promise<BegunExecution> => {
    const begun = await this.member.executions.begin({ trigger, items }, this.running);
    this.missedFireTimes.itemsBegun({ kind: 'ItemsBegun', trigger, former: begun.former });
    return begun;
  };

  /** Begins items for a minute, and ends them. */
  async ran(count: number, items: readonly number[] = [0, 1], trigger: Partial<Trigger> = {}): Promise<void> {
    const { lease } = await this.member.begin(items, { fireTime: minute(count), ...trigger });
    await end(lease!);
  }

  /** Advances time to a minute. */
  comeTo(count: number): Promise<void> {
    return this.registry.clock.advance(minute(count) - this.registry.clock.wallNow());
  }

  /** Begins of fire times fail. */
  failBegins(...counts: readonly number[]): Promise<void> {
    for (const count of counts) {
      this.catchUp.handles(minute(count));
      this.catchUp.owe(minute(count));
      this.catchUp.handled(minute(count));
    }
    return Promise.resolve();
  }

  async wakeCatchUp(): Promise<void> {
    this.catchUp.workExpected();
    await this.rest();
  }

  /** Resolves when all work that was woken has ended. */
  rest(): Promise<void> {
    return this.registry.clock.advance(0);
  }

  async setFlag(item: number): Promise<void> {
    await this.operator.create(this.tree.paths.mark(item, 'misfire'), '', 'PERSISTENT');
  }

  /** The items that have a misfire flag. */
  get flags(): readonly number[] {
    return this.tree.items().filter((item) => this.tree.has(this.tree.paths.mark(item, 'misfire')));
  }

  async joinJava(): Promise<void> {
    await this.operator.create(this.tree.paths.instance('10.0.0.9@-@1'), '', 'EPHEMERAL');
  }

  /** Lets others write records between the next read of this instance and its use, so that it has to read again. */
  changeRecordsMeanwhile(): void {
    const { tree } = this;
    const loadRecords = tree.loadRecords.bind(tree);
    tree.loadRecords = () => {
      tree.loadRecords = loadRecords;
      return Promise.resolve(undefined);
    };
  }

  /** Starts the job after its predecessors, each time just now. */
  async startAfterOthers(...counts: readonly number[]): Promise<void> {
    const at = this.registry.clock.wallNow();
    const starts = counts.map((count): Start => ({ fireTime: minute(count), at }));
    const data = formatStartLedger({ ...NO_STARTS, parents: ['import'], starts });
    const { after } = this.tree.paths;
    await (this.tree.has(after) ? this.operator.set(after, data) : this.operator.create(after, data, 'PERSISTENT'));
    await this.rest();
  }

  /** Asks the gate if the clock refuses a trigger, so that the clock is judged. */
  judgeClock(count: number): boolean | Promise<boolean> {
    return this.gate.refuses(triggerAt(minute(count)));
  }

  /** Fire times that were reported as missed: `items@first-last reason`, in minutes. */
  get missed(): readonly string[] {
    return this.told.flatMap((event) => {
      if (event.kind !== 'missed') return [];
      const { fireTime, items, reason, since } = event;
      return [`${items.join()}@${minuteOf(since)}-${minuteOf(fireTime)} ${reason}`];
    });
  }

  private start(lease: ExecutionLease): void {
    this.runs.push(...lease.items.map((item) => `${item}@${minuteOf(lease.trigger.fireTime)}`));
    lease.onSettled((item) => {
      this.running.endLease(item, lease);
      this.catchUp.workExpected();
    });
    if (!this.isSlow) void end(lease);
  }
}

async function end(lease: ExecutionLease): Promise<void> {
  for (const item of lease.items) lease.settle(item, SUCCEEDED);
  await lease.settled();
}
