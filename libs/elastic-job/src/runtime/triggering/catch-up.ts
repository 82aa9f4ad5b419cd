import type { Timer } from '../../clock/index.js';
import { type CoordinationServices, giveUpFireTimes, type JobTree, untilCommitted } from '../../coordination/index.js';
import { latestOwed, type Trigger } from '../../domain/index.js';
import { repeat } from '../../repeat/index.js';
import { JobDuty, type News, type Report } from '../news/index.js';
import type { Leases } from '../runs/index.js';
import type { ManualTriggers } from './manual-triggers.js';
import type { MissedFireTimes, OwedFireTimes, OwingItems } from './owed-fire-times.js';

const NOTHING: ReadonlySet<number> = new Set();

/** The items of a trigger: those ready to begin, and those behind, which have older fire times to begin first. */
interface ItemsInOrder {
  readonly ready: readonly number[];
  readonly behind: readonly number[];
}

/** Runs items that this instance owns and that owe a fire time, or that still ran when a trigger came. */
export class CatchUp extends JobDuty {
  /** Fire time that is being assigned and begun. */
  private handling: number | undefined;
  /** Called once when nothing is being begun any more. */
  private onIdle: (() => void) | undefined;
  /** Own items that an operator's trigger waited for at the last look, or that ran here and owed something. */
  private left = NOTHING;
  /** True if the trigger under way may not know of everything that is owed. */
  private mayOwe = false;
  /** Fires when a waiting fire time becomes too late for the trigger that may still begin it. */
  private late: Timer | undefined;

  constructor(
    tree: JobTree,
    private readonly services: Pick<CoordinationServices, 'executions' | 'sharding'>,
    private readonly leases: Leases,
    private readonly owed: OwedFireTimes,
    private readonly missed: MissedFireTimes,
    private readonly manual: Pick<ManualTriggers, 'awaited'>,
    report: Report,
  ) {
    super(tree, report, 'catching up');
  }

  workExpected(): void {
    this.wake();
  }

  treeReset(): void {
    this.wake();
  }

  shardingCompleted(): void {
    this.wake();
  }

  serverChanged({ serverIp }: News<'ServerChanged'>): void {
    this.wakeIf(serverIp === this.tree.self.serverIp);
  }

  // Fire times that came while the item was disabled are recorded as not owed.
  itemSwitched({ item }: News<'ItemSwitched'>): void {
    this.wakeIf(this.isOwn(item));
  }

  // A fire time between the last run and this news belonged to no instance.
  nextInstanceChanged(): void {
    this.wakeIf(this.ownItemList.length > 0);
  }

  itemReleased({ item }: News<'ItemReleased'>): void {
    this.wakeIf(this.isOwn(item) && !this.leases.running.has(item));
  }

  itemEnded({ trigger, item }: News<'ItemEnded'>): void {
    this.wakeIf(this.left.has(item) || this.owed.mayOweAfter(trigger, item));
  }

  // Items that were left to an operator's trigger may be free again.
  triggersBegun(): void {
    this.wakeIf(this.left.size > 0);
  }

  /** The flags of items are set. The end of an item that was not flagged yet has woken nothing, so this does. */
  flagged(items: readonly number[]): void {
    this.wakeIf(items.some((item) => !this.leases.running.has(item)));
  }

  /** Begins nothing more. */
  override stop(): void {
    super.stop();
    this.late?.cancel();
  }

  /** A tick begins a fire time, which is not caught up on until it is `handled`. */
  handles(fireTime: number): void {
    this.handling = fireTime;
  }

  /** The tick has begun the fire time, or has failed to. */
  handled(fireTime: number): void {
    if (this.handling === fireTime) this.handling = undefined;
    if (this.mayOwe) this.wake();
    if (this.handling !== undefined) return;
    const { onIdle } = this;
    this.onIdle = undefined;
    onIdle?.();
  }

  /** True if a tick begins a fire time now. @param onIdle called once, when it has */
  isHandling(onIdle: () => void): boolean {
    if (this.handling === undefined) return false;
    this.onIdle = onIdle;
    return true;
  }

  /** Notes that items of this instance could not be begun for the fire time being handled. */
  owe(fireTime: number): void {
    this.mayOwe = true;
    this.owed.noteRefused(this.ownItemList, fireTime);
  }

  /**
   * Splits the items of a trigger: `behind` are those with older fire times to begin first, one after the other. Only
   * jobs that catch up on all fire times have any. Runs begun by this instance cost no request here.
   */
  async inOrder({ fireTime }: Trigger, items: readonly number[]): Promise<ItemsInOrder> {
    if (!this.owed.areOrdered) return { ready: items, behind: [] };
    const { tree } = this;
    const load = async () => (await this.owed.loadRecords(items)) || undefined;
    await repeat(untilCommitted(tree, 'reading what is owed'), load);
    const owing = this.owed.groups(items, fireTime - 1).filter(({ owed }) => this.owed.target(owed) !== undefined);
    const behind = owing.flatMap((group) => group.items);
    if (behind.length > 0) this.wake();
    return { ready: items.filter((item) => !behind.includes(item)), behind };
  }

  private leave(items: readonly number[]): void {
    this.left = items.length === 0 ? NOTHING : new Set(items);
  }

  protected async work(): Promise<void> {
    const { tree } = this;
    // A clock that seems wrong is judged for a second, so free items are looked up afterwards.
    const now = await this.owed.now();
    await tree.sync({ signal: tree.signal });
    this.mayOwe = false;
    if (!this.owed.arePayable) return;
    const { awaited, free, running } = this.ownItems();
    // An item that runs here may end while its record is read. From now on its end wakes this duty again.
    this.leave([...awaited, ...running]);
    if (!(await this.owed.loadRecords([...free, ...running]))) return this.wake();
    const until = this.owed.isStartedAfter ? Infinity : now;
    this.leave([...awaited, ...itemsOf(this.owed.groups(running, until).filter(owesAny))]);
    const groups = this.owed.groups(free, until);
    const targets = new Map(groups.map((group) => [group, this.owed.target(group.owed)]));
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
    const { services, tree } = this;
    const { running } = this.leases;
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
    const { services, tree } = this;
    const trigger: Trigger = { jobName: tree.jobName, fireTime, origin: 'schedule', source: 'MISFIRE' };
    // Items that are released meanwhile must not wait for this run.
    const refused = await this.leases.beginAndRun(trigger, items, 'a misfired item');
    const begunBefore = [...refused].flatMap(([item, cause]) => (cause === 'alreadyBegun' ? item : []));
    await services.executions.clearMisfires(tree.jobName, begunBefore);
  }

  /** Records the fire times that will never be begun, so that the next owners of the items know it too. */
  private async giveUp(groups: readonly OwingItems[], now: number): Promise<void> {
    const { services, tree } = this;
    if (!this.owed.areSkipped) await services.executions.clearMisfires(tree.jobName, itemsOf(groups));
    if (tree.company.runsUnrecorded) return;
    const given = new Map<number, number>();
    for (const { owed, items } of groups) {
      const { upTo, nextInMs } = this.owed.toGiveUp(owed, now);
      if (nextInMs !== undefined) this.wakeAfter(nextInMs);
      if (upTo === undefined) continue;
      if (this.handling !== undefined && this.handling <= upTo) this.mayOwe = true;
      else for (const item of items) given.set(item, upTo);
    }
    if (given.size > 0) this.missed.gaveUp(given, await giveUpFireTimes(tree, given));
  }

  private wakeIf(mayOwe: boolean): void {
    if (mayOwe) this.wake();
  }

  private wakeAfter(ms: number): void {
    this.late?.cancel();
    this.late = this.tree.clock.setTimer(ms, () => this.wake());
  }

  private isOwn(item: number): boolean {
    return this.tree.owner(item) === this.tree.self.jobInstanceId;
  }

  private get ownItemList(): readonly number[] {
    return this.services.sharding.ownItems(this.tree);
  }
}

function owesAny({ owed }: OwingItems): boolean {
  return latestOwed(owed) !== undefined;
}

function itemsOf(groups: readonly OwingItems[]): number[] {
  return groups.flatMap(({ items }) => items).toSorted((a, b) => a - b);
}
