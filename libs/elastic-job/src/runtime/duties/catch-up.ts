import type { Timer } from '../../clock/index.js';
import { giveUpFireTimes, type JobTree, untilCommitted } from '../../coordination/index.js';
import {
  decideCatchUp,
  decideGiveUp,
  lastScheduledOf,
  latestOwed,
  type OwedSpan,
  owesAfter,
  SparseMap,
  type Trigger,
} from '../../domain/index.js';
import { type JobContext, type LeaseRunner, JobReconciler, type TriggerGate, type News } from '../leases/index.js';
import { repeat } from '../../repeat/index.js';
import type { OwedFireTimes, OwingItems } from './owed-fire-times.js';
import type { ManualTriggers } from './manual-triggers.js';
import { MisfireFlags } from './misfire-flags.js';
import type { MissedFireTimes } from './missed-fire-times.js';

const NOTHING: ReadonlySet<number> = new Set();

/** The items of a trigger: those ready to begin, and those behind, which have older fire times to begin first. */
interface ItemsInOrder {
  readonly ready: readonly number[];
  readonly behind: readonly number[];
}

/** Runs items that this instance owns and that owe a fire time, or that still ran when a trigger came. */
export class CatchUp {
  private readonly catchingUp: JobReconciler;
  private readonly flags: MisfireFlags;
  /** Fire time that is being assigned and begun. */
  private handling: number | undefined;
  /** Own items that an operator's trigger waited for at the last look, or that ran here and owed something. */
  private left = NOTHING;
  /** True if the trigger under way may not know of everything that is owed. */
  private mayOwe = false;
  /** Instant after which an item owes fire times, for items whose first begin the registry refused. */
  private readonly refusedAfter = new SparseMap<number, number>();
  /** Fires when a waiting fire time becomes too late for the trigger that may still begin it. */
  private late: Timer | undefined;

  constructor(
    private readonly context: JobContext,
    private readonly gate: TriggerGate,
    private readonly leases: LeaseRunner,
    private readonly owed: OwedFireTimes,
    private readonly missed: MissedFireTimes,
    private readonly manual: Pick<ManualTriggers, 'awaited'>,
  ) {
    this.catchingUp = new JobReconciler(context, 'catching up', () => this.catchUp());
    this.flags = new MisfireFlags(context, () => this.catchingUp.wake());
  }

  workExpected(): void {
    this.catchingUp.wake();
  }

  treeReset(): void {
    this.catchingUp.wake();
  }

  shardingCompleted(): void {
    this.catchingUp.wake();
  }

  serverChanged({ serverIp }: News<'ServerChanged'>): void {
    this.wakeIf(serverIp === this.context.tree.self.serverIp);
  }

  // Fire times that came while the item was disabled are recorded as not owed.
  itemSwitched({ item }: News<'ItemSwitched'>): void {
    this.wakeIf(this.isOwn(item));
  }

  // A fire time between the last run and this news belonged to no instance.
  nextInstanceChanged(): void {
    this.wakeIf(this.context.services.sharding.ownItems(this.context.tree).length > 0);
  }

  itemReleased({ item }: News<'ItemReleased'>): void {
    this.wakeIf(this.isOwn(item) && !this.context.running.has(item));
  }

  itemEnded({ trigger, item }: News<'ItemEnded'>): void {
    this.wakeIf(this.left.has(item) || this.mayOweAfter(trigger, item));
  }

  // Items that were left to an operator's trigger may be free again.
  triggersBegun(): void {
    this.wakeIf(this.left.size > 0);
  }

  /** Begins nothing more. */
  stop(): void {
    this.catchingUp.stop();
    this.flags.stop();
    this.late?.cancel();
  }

  /** Begins a fire time, which is not caught up on meanwhile. If the begin fails, the fire time is owed. */
  async whileHandling<T>(fireTime: number, begin: () => Promise<T>): Promise<T> {
    this.handling = fireTime;
    try {
      return await begin();
    } catch (error) {
      this.owe(fireTime);
      throw error;
    } finally {
      if (this.handling === fireTime) this.handling = undefined;
      if (this.mayOwe) this.catchingUp.wake();
    }
  }

  /** Forgets refused fire times when a Java peer joins, since the peer may have run them. */
  leaveToPeers(): void {
    this.refusedAfter.clear();
  }

  /** Flags items that still ran when a trigger came. */
  misfire(items: readonly number[]): void {
    this.flags.add(items);
  }

  /**
   * Splits the items of a trigger: `behind` are those with older fire times to begin first, one after the other. Only
   * jobs that catch up on all fire times have any. Runs begun by this instance cost no request here.
   */
  inOrder(trigger: Trigger, items: readonly number[]): ItemsInOrder | Promise<ItemsInOrder> {
    const { misfirePolicy, monitorExecution } = this.context.settings.configuration;
    const isOrdered = misfirePolicy === 'all' && monitorExecution;
    return isOrdered ? this.split(trigger, items) : { ready: items, behind: [] };
  }

  private async split({ fireTime }: Trigger, items: readonly number[]): Promise<ItemsInOrder> {
    const { tree } = this.context;
    const load = async () => (await this.loadRecords(items)) || undefined;
    await repeat(untilCommitted(tree, 'reading what is owed'), load);
    const owing = this.groups(items, fireTime - 1).filter(({ owed }) => this.target(owed) !== undefined);
    const behind = owing.flatMap((group) => group.items);
    if (behind.length > 0) this.catchingUp.wake();
    return { ready: items.filter((item) => !behind.includes(item)), behind };
  }

  /** Notes that items of this instance could not be begun for the fire time being handled. */
  private owe(fireTime: number): void {
    const { services, tree } = this.context;
    this.mayOwe = true;
    for (const item of services.sharding.ownItems(tree)) {
      if (!this.refusedAfter.has(item)) this.refusedAfter.set(item, fireTime - 1);
    }
  }

  private leave(items: readonly number[]): void {
    this.left = items.length === 0 ? NOTHING : new Set(items);
  }

  private async catchUp(): Promise<void> {
    const { scheduleClock, tree } = this.context;
    // A clock that seems wrong is judged for a second, so free items are looked up afterwards.
    const now = await scheduleClock.now();
    await tree.sync({ signal: tree.signal });
    this.mayOwe = false;
    if (!this.isPossible) return;
    const { awaited, free, running } = this.ownItems();
    // The ends of items that run here are heard while their records are read.
    this.leave([...awaited, ...running]);
    if (!(await this.loadRecords([...free, ...running]))) return this.catchingUp.wake();
    const until = this.isStartedAfter ? Infinity : now;
    this.leave([...awaited, ...itemsOf(this.groups(running, until).filter(owesAny))]);
    const groups = this.groups(free, until);
    const targets = new Map(groups.map((group) => [group, this.target(group.owed)]));
    const owing = (fireTime: number | undefined) => groups.filter((group) => targets.get(group) === fireTime);
    for (const fireTime of new Set([...targets.values()].filter((target) => target !== undefined))) {
      await this.beginOwed(fireTime, itemsOf(owing(fireTime)));
    }
    await this.giveUp(owing(undefined), now);
  }

  /**
   * Own items: those that are free, those that run here, and those that an operator's trigger waits for. The trigger
   * goes first: two begins of one process would refuse each other. Items that others run come with their release.
   */
  private ownItems(): Readonly<Record<'awaited' | 'free' | 'running', readonly number[]>> {
    const { running, services, tree } = this.context;
    const { awaited } = this.manual;
    const own = services.sharding.ownItems(tree);
    const others = own.filter((item) => !awaited.has(item));
    return {
      awaited: own.filter((item) => awaited.has(item)),
      free: others.filter((item) => !running.has(item) && !tree.isRunning(item)),
      running: others.filter((item) => running.has(item)),
    };
  }

  /** Begins the items for a fire time that they owe. */
  private async beginOwed(fireTime: number, items: readonly number[]): Promise<void> {
    // The trigger of this same fire time is under way, with the assignment that it has read.
    if (fireTime === this.handling) return void (this.mayOwe = true);
    const { services, tree } = this.context;
    const trigger: Trigger = { jobName: tree.jobName, fireTime, origin: 'schedule', source: 'MISFIRE' };
    const { lease, refused } = await this.leases.begin(trigger, items);
    // Not awaited: items that are released meanwhile must not wait for this run.
    if (lease !== undefined) this.leases.start(lease, 'a misfired item');
    const begunBefore = [...refused].flatMap(([item, cause]) => (cause === 'alreadyBegun' ? item : []));
    await services.executions.clearMisfires(tree.jobName, begunBefore);
  }

  /** Records the fire times that will never be begun, so that the next owners of the items know it too. */
  private async giveUp(groups: readonly OwingItems[], now: number): Promise<void> {
    const { services, settings, tree } = this.context;
    const { misfirePolicy, shardingTimeoutMs } = settings.configuration;
    if (misfirePolicy !== 'skip') await services.executions.clearMisfires(tree.jobName, itemsOf(groups));
    if (tree.company.runsUnrecorded) return;
    const given = new Map<number, number>();
    for (const { owed, items } of groups) {
      const { upTo, waiting } = decideGiveUp(owed, settings.configuration, now - shardingTimeoutMs);
      if (misfirePolicy === 'skip' && waiting !== undefined) this.wakeAfter(waiting + shardingTimeoutMs - now);
      if (upTo === undefined) continue;
      if (this.handling !== undefined && this.handling <= upTo) this.mayOwe = true;
      else for (const item of items) given.set(item, upTo);
    }
    if (given.size > 0) this.missed.gaveUp(given, await giveUpFireTimes(tree, given));
  }

  private wakeIf(mayOwe: boolean): void {
    if (mayOwe) this.catchingUp.wake();
  }

  private wakeAfter(ms: number): void {
    this.late?.cancel();
    this.late = this.context.clock.setTimer(ms, () => this.catchingUp.wake());
  }

  private isOwn(item: number): boolean {
    return this.context.tree.owner(item) === this.context.tree.self.jobInstanceId;
  }

  // From memory only, so that a trigger in steady state ends with its settle.
  private mayOweAfter({ source }: Trigger, item: number): boolean {
    const { settings, tree } = this.context;
    const isMisfired = tree.has(tree.paths.mark(item, 'misfire'));
    const isOneOfMany = source === 'MISFIRE' && settings.configuration.misfirePolicy === 'all';
    return isMisfired || isOneOfMany || source === 'FAILOVER';
  }

  private loadRecords(items: readonly number[]): ReturnType<JobTree['loadRecords']> {
    return this.context.tree.loadRecords(items, { signal: this.context.tree.signal });
  }

  /** True if anything can be caught up on now. */
  private get isPossible(): boolean {
    const { schedule, settings, tree } = this.context;
    const { mayBeginUnasked, timeCheck } = this.gate;
    const isAllowed = settings.configuration.monitorExecution && mayBeginUnasked && timeCheck.problem === undefined;
    if (!isAllowed || schedule.excluded === undefined) return false;
    // A Java leader waits for the item, so it must not be kept beyond its run.
    return !(tree.company.plansWhenIdle && tree.isReshardingPending());
  }

  /** Groups the items by the fire times that they owe until now. */
  private groups(items: readonly number[], until: number): readonly OwingItems[] {
    const { tree } = this.context;
    return this.owed.upTo(until, new Map(items.map((item) => [item, this.lastOf(tree, item)])));
  }

  /** True if the job has starts instead of a schedule. Every recorded start has come, whatever this clock says. */
  private get isStartedAfter(): boolean {
    return this.context.settings.configuration.after.length > 0;
  }

  /** Last fire time that is not owed any more; undefined if the item owes nothing at all. */
  private lastOf(tree: JobTree, item: number): number | undefined {
    const stored = tree.record(item)?.stored;
    if (stored === undefined) return undefined;
    const isMisfired = tree.has(tree.paths.mark(item, 'misfire'));
    // There are no starts before the item exists, and a start may come after a trigger that is younger than its fire
    // time.
    if (this.isStartedAfter) return lastScheduledOf(stored) ?? 0;
    // Java peers write no records of their runs, so only the flag counts.
    const last = tree.company.runsUnrecorded ? undefined : (owesAfter(stored) ?? this.refusedAfter.get(item));
    return last ?? (isMisfired ? 0 : undefined);
  }

  /** Next fire time to run for this group, excluding those refused for clock skew. */
  private target(owed: OwedSpan): number | undefined {
    const after = Math.max(owed.after, this.gate.timeCheck.skippedUntil);
    return decideCatchUp({ ...owed, after }, this.context.settings.configuration);
  }
}

function owesAny({ owed }: OwingItems): boolean {
  return latestOwed(owed) !== undefined;
}

function itemsOf(groups: readonly OwingItems[]): number[] {
  return groups.flatMap(({ items }) => items).toSorted((a, b) => a - b);
}
