// Covered by test/scenario/misfire-policies.spec.ts
import type { Timer } from '../../clock/index.js';
import { giveUpFireTimes, type JobTree, untilAnswered, untilCommitted } from '../../coordination/index.js';
import {
  decideCatchUp,
  decideGiveUp,
  lastScheduledOf,
  type OwedSpan,
  formatTaskId,
  owesAfter,
  SparseMap,
  SparseSet,
  type Trigger,
} from '../../domain/index.js';
import { type JobContext, type LeaseRunner, Reaction, SessionReaction, type TriggerGate } from '../leases/index.js';
import type { OwedFireTimes, OwingItems } from './owed-fire-times.js';
import type { Duty, News } from './duty.js';
import type { ManualTriggers } from './manual-triggers.js';
import type { MissedFireTimes } from './missed-fire-times.js';

/** The items of a trigger: what may be begun for it, and what has older fire times to be begun for first. */
interface ItemsInOrder {
  readonly ready: readonly number[];
  readonly behind: readonly number[];
}

/** Runs the items that this instance owns and owes a fire time, or that a trigger met while they still ran. */
export class CatchUp implements Duty {
  private readonly catchingUp: SessionReaction;
  private readonly flagging: Reaction;
  /** The items to flag. While one write is under way all triggers add to the next one, however slow the registry is. */
  private readonly misfired = new SparseSet<number>();
  /** The fire time that is being assigned and begun. */
  private handling: number | undefined;
  /** What was left to operators' triggers, and may owe something once they have run. */
  private yielded: readonly number[] = [];
  /** Something may be owed that the trigger under way does not know of. */
  private mayOwe = false;
  /**
   * The instants after which items owe fire times that the registry has refused to begin, before it has a record of
   * them.
   */
  private readonly refusedAfter = new SparseMap<number, number>();
  /** Comes when a fire time is too late for the trigger that may still begin it. */
  private late: Timer | undefined;

  constructor(
    private readonly context: JobContext,
    private readonly gate: TriggerGate,
    private readonly leases: LeaseRunner,
    private readonly owed: OwedFireTimes,
    private readonly missed: MissedFireTimes,
    private readonly manual: Pick<ManualTriggers, 'isAwaited'>,
  ) {
    this.catchingUp = new SessionReaction(context, 'catching up', () => this.catchUp());
    this.flagging = new Reaction(() => this.flagMisfired(), context.report('marking misfired items'));
  }

  WorkExpected(): void {
    this.catchingUp.wake();
  }

  TreeReset(): void {
    this.catchingUp.wake();
  }

  ShardingCompleted(): void {
    this.catchingUp.wake();
  }

  ServerChanged({ serverIp }: News<'ServerChanged'>): void {
    this.wakeIf(serverIp === this.context.tree.self.serverIp);
  }

  // Fire times that came while it was disabled are noted as owed by nobody.
  ItemSwitched({ item }: News<'ItemSwitched'>): void {
    this.wakeIf(this.isOwn(item));
  }

  // A fire time that came between the last run and this news was nobody's.
  NextInstanceChanged(): void {
    this.wakeIf(this.context.services.sharding.ownItems(this.context.tree).length > 0);
  }

  ItemReleased({ item }: News<'ItemReleased'>): void {
    this.wakeIf(this.isOwn(item) && !this.context.running.has(item));
  }

  ItemEnded({ trigger, item }: News<'ItemEnded'>): void {
    this.wakeIf(this.yielded.length > 0 || this.mayOweAfter(trigger, item));
  }

  // Items that were left to an operator's trigger may be free again.
  TriggersBegun(): void {
    this.wakeIf(this.yielded.length > 0);
  }

  /** Begins nothing more. */
  stop(): void {
    this.catchingUp.stop();
    this.late?.cancel();
  }

  /** Begins a fire time, which is not caught up on meanwhile; but afterwards if that fails. */
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

  /** Items of this instance could not be begun for the fire time that is being handled. */
  owe(fireTime: number): void {
    const { services, tree } = this.context;
    this.mayOwe = true;
    for (const item of services.sharding.ownItems(tree)) {
      if (!this.refusedAfter.has(item)) this.refusedAfter.set(item, fireTime - 1);
    }
  }

  /** A Java peer has joined: what was refused here it may have run. */
  leaveToPeers(): void {
    this.refusedAfter.clear();
  }

  /** Notes in the registry that a trigger has met items which still run: whoever ends them owes them one run more. */
  misfire(items: readonly number[]): void {
    const { misfire, monitorExecution } = this.context.settings.configuration;
    if (items.length === 0 || !misfire || !monitorExecution) return;
    for (const item of items) this.misfired.add(item);
    this.flagging.wake();
  }

  private async flagMisfired(): Promise<void> {
    const { clock, events, running, services, tree } = this.context;
    const items = [...this.misfired];
    this.misfired.clear();
    await untilAnswered(tree, clock, () => services.executions.markMisfired(tree.jobName, items));
    const { jobName, self } = tree;
    events.emit({ kind: 'misfired', jobName, taskId: formatTaskId(jobName, items, self.jobInstanceId), items });
    // An item that ended while its flag was being set has nobody left to tell.
    if (items.some((item) => !running.has(item))) this.catchingUp.wake();
  }

  /**
   * Parts the items of a trigger: those that are `behind` have older fire times to be begun first, one after the other.
   * Only where the job catches up on all of them; what this instance has begun itself costs no request.
   */
  async inOrder({ fireTime }: Trigger, items: readonly number[]): Promise<ItemsInOrder> {
    const { settings, tree } = this.context;
    const { misfirePolicy, monitorExecution } = settings.configuration;
    if (misfirePolicy !== 'all' || !monitorExecution) return { ready: items, behind: [] };
    await untilCommitted(tree, 'reading what is owed', async () => (await this.loadRecords(items)) || undefined);
    const owing = this.groups(items, fireTime - 1).filter(({ owed }) => this.target(owed) !== undefined);
    const behind = owing.flatMap((group) => group.items);
    if (behind.length > 0) this.catchingUp.wake();
    return { ready: items.filter((item) => !behind.includes(item)), behind };
  }

  private async catchUp(): Promise<void> {
    const { scheduleClock, tree } = this.context;
    // A clock that seems to be wrong is judged for a second: which items are free is looked at afterwards.
    const now = await scheduleClock.now();
    await tree.sync({ signal: tree.signal });
    this.mayOwe = false;
    if (!this.isPossible) return;
    const free = this.freeItems();
    if (!(await this.loadRecords(free))) return this.catchingUp.wake();
    const groups = this.groups(free, this.isStartedAfter ? Infinity : now);
    const targets = new Map(groups.map((group) => [group, this.target(group.owed)]));
    const owing = (fireTime: number | undefined) => groups.filter((group) => targets.get(group) === fireTime);
    const failures: unknown[] = [];
    for (const fireTime of new Set([...targets.values()].filter((target) => target !== undefined))) {
      await this.beginOwed(fireTime, itemsOf(owing(fireTime))).catch((error: unknown) => failures.push(error));
    }
    await this.giveUp(owing(undefined), now);
    if (failures.length > 0) throw failures[0];
  }

  /**
   * An operator's trigger goes first: two begins of one process would refuse each other, the same one again and again.
   */
  private freeItems(): readonly number[] {
    const { running, services, tree } = this.context;
    const isAwaited = (item: number) => this.manual.isAwaited(item);
    const own = services.sharding.ownItems(tree);
    const free = own.filter((item) => !isAwaited(item) && !running.has(item) && !tree.isRunning(item));
    // One that runs for an operator now was left to him as well, if the begin was faster than this look.
    const isLeft = (item: number) =>
      this.yielded.includes(item) || (running.leaseOf(item)?.trigger.origin ?? 'schedule') !== 'schedule';
    this.yielded = own.filter((item) => isAwaited(item) || (!free.includes(item) && isLeft(item)));
    return free;
  }

  /** Begins the items for a fire time that they owe. @throws also if some of them could not be begun */
  private async beginOwed(fireTime: number, items: readonly number[]): Promise<void> {
    // The trigger of this very fire time is under way, on the assignment that it has seen.
    if (fireTime === this.handling) return void (this.mayOwe = true);
    const { services, tree } = this.context;
    const trigger: Trigger = { jobName: tree.jobName, fireTime, origin: 'schedule', source: 'MISFIRE' };
    const { blocked, lease, refused } = await this.leases.begin(trigger, items);
    // Not awaited: an item that is released meanwhile must not wait for this run.
    if (lease !== undefined) this.leases.start(lease, 'a misfired item');
    const begunBefore = [...refused].flatMap(([item, cause]) => (cause === 'alreadyBegun' ? item : []));
    await services.executions.clearMisfires(tree.jobName, begunBefore);
    if (blocked !== undefined) throw blocked.error;
  }

  /** Notes what will never be begun, so that whoever owns the items next knows it as well. */
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

  // From memory only: in steady state a trigger ends with its settle.
  private mayOweAfter({ source }: Trigger, item: number): boolean {
    const { settings, tree } = this.context;
    const isMisfired = tree.has(tree.paths.mark(item, 'misfire'));
    const isOneOfMany = source === 'MISFIRE' && settings.configuration.misfirePolicy === 'all';
    return isMisfired || isOneOfMany || source === 'FAILOVER';
  }

  private loadRecords(items: readonly number[]): Promise<boolean> {
    return this.context.tree.loadRecords(items, { signal: this.context.tree.signal });
  }

  /** Whether anything can be caught up on now. */
  private get isPossible(): boolean {
    const { schedule, settings, tree } = this.context;
    const { mayBeginUnasked, timeCheck } = this.gate;
    const isAllowed = settings.configuration.monitorExecution && mayBeginUnasked && timeCheck.problem === undefined;
    if (!isAllowed || schedule.excluded === undefined) return false;
    // Beside Java an item is not kept longer than its run: the leader waits for it.
    return !(tree.company.plansWhenIdle && tree.isReshardingPending());
  }

  /** What has come for the items until now. */
  private groups(items: readonly number[], until: number): readonly OwingItems[] {
    const { tree } = this.context;
    return this.owed.upTo(until, new Map(items.map((item) => [item, this.lastOf(tree, item)])));
  }

  /** The job has starts, and no schedule. Each has come, whatever this clock says. */
  private get isStartedAfter(): boolean {
    return this.context.settings.configuration.after.length > 0;
  }

  /** The fire time up to which an item owes nothing; undefined if it owes nothing at all. */
  private lastOf(tree: JobTree, item: number): number | undefined {
    const stored = tree.record(item)?.stored;
    if (stored === undefined) return undefined;
    const isMisfired = tree.has(tree.paths.mark(item, 'misfire'));
    // Nothing is started before the item is made; and a start may come after a trigger that is younger than its fire
    // time.
    if (this.isStartedAfter) return lastScheduledOf(stored) ?? 0;
    // Of what Java peers have run there is no record; only the flag tells.
    const last = tree.company.runsUnrecorded ? undefined : (owesAfter(stored) ?? this.refusedAfter.get(item));
    return last ?? (isMisfired ? 0 : undefined);
  }

  /** What a group is to be begun for next. A fire time that was refused for the clock's sake is not. */
  private target(owed: OwedSpan): number | undefined {
    const after = Math.max(owed.after, this.gate.timeCheck.skippedUntil);
    return decideCatchUp({ ...owed, after }, this.context.settings.configuration);
  }
}

function itemsOf(groups: readonly OwingItems[]): number[] {
  return groups.flatMap(({ items }) => items).toSorted((a, b) => a - b);
}
