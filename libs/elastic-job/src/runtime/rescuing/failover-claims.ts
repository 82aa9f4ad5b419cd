import type { ExecutionLease, FailoverQueue, JobTree } from '../../coordination/index.js';
import { failsOver, mostItemsAtOnce, type RefusalCause, SparseSet, type TaskLife } from '../../domain/index.js';
import type { JobSettings } from '../settings/index.js';
import { type NewsEmitter, type Report, JobDuty, type News } from '../news/index.js';
import type { Leases } from '../runs/index.js';

/**
 * Delay before a claim for each running item, up to four of them: idle instances claim at once, the others later. So
 * the idlest one comes first, and an orphan waits for at most 40 ms if all are busy. An instance that has taken its
 * part waits once more before it takes what others have left.
 */
const STAND_BACK_MS = 10;
const MOST_STEPS_BACK = 4;

/**
 * Claims and runs queued items of crashed instances while this one has a free slot. A waiting item that its own trigger
 * meets is claimed even without a slot, since the trigger would have begun it too. So an instance that is always busy
 * starves no item.
 */
export class FailoverClaims extends JobDuty {
  /** Waiting items that a trigger of this instance has met. */
  private readonly awaited = new SparseSet<number>();
  /** True after a lost claim: another instance has another view of the queue, so the parts overlap. */
  private hasLost = false;

  constructor(
    tree: JobTree,
    private readonly queue: FailoverQueue,
    private readonly settings: JobSettings,
    private readonly tasks: TaskLife | undefined,
    private readonly leases: Leases,
    private readonly news: NewsEmitter,
    report: Report,
  ) {
    super(tree, report, 'claiming failover items');
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

  itemQueued(): void {
    this.wake();
  }

  // A server that was disabled has claimed nothing so far.
  serverChanged({ serverIp }: News<'ServerChanged'>): void {
    this.wakeIf(serverIp === this.tree.self.serverIp);
  }

  // Nothing of a disabled item was claimed so far.
  itemSwitched({ item }: News<'ItemSwitched'>): void {
    this.wakeIf(this.tree.isQueued(item));
  }

  itemReleased({ item }: News<'ItemReleased'>): void {
    this.wakeIf(this.tree.isQueued(item));
  }

  itemEnded(): void {
    this.wakeIf(this.tree.isAnyQueued || this.awaited.size > 0);
  }

  // Items that the lost instance may still have run can be claimed now.
  instanceLost(): void {
    this.wake();
  }

  itemsRefused({ refused }: News<'ItemsRefused'>): void {
    this.afterRefusal(refused);
  }

  private wakeIf(mayClaim: boolean): void {
    if (mayClaim) this.wake();
  }

  /** Looks for items that this instance's begin was refused because they wait for failover. */
  private afterRefusal(refused: ReadonlyMap<number, RefusalCause>): void {
    const { tree } = this;
    const waiting = [...refused].flatMap(([item, cause]) => (cause === 'busy' && tree.isQueued(item) ? item : []));
    if (waiting.length === 0) return;
    for (const item of waiting) this.awaited.add(item);
    this.wake();
  }

  /**
   * Claims some waiting items and runs them, even without a free slot.
   * @returns the lease, whose `settled()` gives the outcomes
   */
  claim(): Promise<ExecutionLease | 'lost' | 'empty'> {
    return this.take(Infinity, () => true);
  }

  private async take(most: number, mayTake: (item: number) => boolean): Promise<ExecutionLease | 'lost' | 'empty'> {
    return this.mayClaim ? this.leases.claim(() => this.claimOf(most, mayTake)) : 'empty';
  }

  private async claimOf(most: number, mayTake: (item: number) => boolean): ReturnType<FailoverQueue['claim']> {
    const { leases, settings, tree } = this;
    const { shardingTotalCount } = settings.configuration;
    const claim = await this.queue.claim(tree.jobName, {
      most,
      from: this.hasLost ? Math.floor(tree.clock.random() * shardingTotalCount) : undefined,
      mayTake: (item) => mayTake(item) && !leases.running.has(item),
    });
    this.hasLost = claim.kind === 'lost';
    return claim;
  }

  protected async work(): Promise<void> {
    const awaited = new Set(this.awaited);
    this.awaited.clear();
    try {
      await this.claimWaiting(awaited);
    } catch (error) {
      for (const item of awaited) this.awaited.add(item);
      throw error;
    }
  }

  private async claimWaiting(awaited: ReadonlySet<number>): Promise<void> {
    const { tree } = this;
    if (!tree.isAnyQueued || !this.mayClaim) return;
    const found: (ExecutionLease | 'lost')[] = [];
    await this.standBack();
    while (tree.isAnyQueued) {
      const claim = await this.claimNext(awaited);
      if (claim === 'empty') break;
      // Items left after this one are those for which the others have no slots.
      if (claim !== 'lost' && found.every((former) => former === 'lost')) await this.standBack();
      found.push(claim);
    }
    if (found.length > 0) this.news.emit({ kind: 'QueueClaimed' });
  }

  private async standBack(): Promise<void> {
    const { leases, tree } = this;
    const steps = Math.min(leases.running.size, MOST_STEPS_BACK);
    if (steps > 0) await tree.clock.sleep(steps * STAND_BACK_MS, tree.signal);
  }

  private claimNext(awaited: ReadonlySet<number>): Promise<ExecutionLease | 'lost' | 'empty'> {
    const { freeSlots } = this;
    return freeSlots > 0 ? this.take(freeSlots, () => true) : this.take(Infinity, (item) => awaited.has(item));
  }

  /** True if failover is on or tasks can be adopted, and no operator has disabled this server. */
  private get mayClaim(): boolean {
    const { settings, tasks, tree } = this;
    const isQueueUsed = failsOver(settings.configuration) || tasks === 'adoptable';
    return isQueueUsed && tree.serverStatus(tree.self.serverIp) === 'ENABLED';
  }

  private get freeSlots(): number {
    const { leases, settings, tree } = this;
    return mostItemsAtOnce(settings.configuration, tree.clock.processors()) - leases.running.size;
  }
}
