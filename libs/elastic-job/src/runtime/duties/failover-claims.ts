// Covered by test/scenario/failover-spread.spec.ts
import type { ExecutionLease } from '../../coordination/index.js';
import { failsOver, mostItemsAtOnce, type RefusalCause, SparseSet } from '../../domain/index.js';
import { type JobContext, type LeaseRunner, SessionReaction, type TriggerGate } from '../leases/index.js';
import type { Duty, News } from './duty.js';

/**
 * Who runs nothing claims at once; each running item makes an instance stand back for this long, up to four of them. So
 * the idlest comes first, and if all are busy an orphan waits for 40 ms at most. Who has taken its part stands back
 * once more before it takes what others have left.
 */
const STAND_BACK_MS = 10;
const MOST_STEPS_BACK = 4;

/**
 * Takes and runs the queued items of crashed instances, as long as this one has a free slot. What its own triggers find
 * waiting it takes even if it has none, as it would have begun it: an instance that is always busy starves nobody.
 */
export class FailoverClaims implements Duty {
  private readonly claiming: SessionReaction;
  /** Items that a trigger has met here while they waited. */
  private readonly awaited = new SparseSet<number>();
  /** Somebody has another view of the queue: parts of it overlap. */
  private hasLost = false;

  constructor(
    private readonly context: JobContext,
    private readonly gate: TriggerGate,
    private readonly leases: LeaseRunner,
  ) {
    this.claiming = new SessionReaction(context, 'claiming failover items', () => this.claimAll());
  }

  WorkExpected(): void {
    this.claiming.wake();
  }

  TreeReset(): void {
    this.claiming.wake();
  }

  ShardingCompleted(): void {
    this.claiming.wake();
  }

  ItemQueued(): void {
    this.claiming.wake();
  }

  // A server that was disabled has claimed nothing.
  ServerChanged({ serverIp }: News<'ServerChanged'>): void {
    this.wakeIf(serverIp === this.context.tree.self.serverIp);
  }

  ItemReleased({ item }: News<'ItemReleased'>): void {
    this.wakeIf(this.context.tree.queue().includes(item));
  }

  ItemEnded(): void {
    this.wakeIf(this.context.tree.queue().length > 0 || this.awaited.size > 0);
  }

  // Items that it may still have run can be claimed now.
  InstanceLost(): void {
    this.claiming.wake();
  }

  ItemsRefused({ refused }: News<'ItemsRefused'>): void {
    this.afterRefusal(refused);
  }

  private wakeIf(mayClaim: boolean): void {
    if (mayClaim) this.claiming.wake();
  }

  /** A begin of this instance was refused some items, perhaps because they wait for failover. */
  private afterRefusal(refused: ReadonlyMap<number, RefusalCause>): void {
    const queue = this.context.tree.queue();
    const waiting = queue.filter((item) => refused.get(item) === 'busy');
    if (waiting.length === 0) return;
    for (const item of waiting) this.awaited.add(item);
    this.claiming.wake();
  }

  /** Claims nothing more by itself. */
  stop(): void {
    this.claiming.stop();
  }

  /**
   * Claims some waiting items and runs them, whether or not there is a free slot.
   * @returns the lease, whose `settled()` tells the outcomes
   */
  claim(): Promise<ExecutionLease | 'lost' | 'empty'> {
    return this.take(Infinity, () => true);
  }

  private async take(most: number, mayTake: (item: number) => boolean): Promise<ExecutionLease | 'lost' | 'empty'> {
    const { events, running, tree } = this.context;
    if (!this.mayClaim || !this.gate.mayBeginUnasked) return 'empty';
    const lease = await running.expect(() => this.begin(most, mayTake));
    if (typeof lease === 'string') return lease;
    events.emit({ kind: 'claimed', jobName: tree.jobName, items: lease.items, source: 'FAILOVER' });
    this.leases.start(lease, 'a failover item');
    return lease;
  }

  private async begin(most: number, mayTake: (item: number) => boolean): Promise<ExecutionLease | 'lost' | 'empty'> {
    const { clock, running, services, settings, tree } = this.context;
    const { shardingTotalCount } = settings.configuration;
    const claim = await services.queue.claim(tree.jobName, {
      most,
      from: this.hasLost ? Math.floor(clock.random() * shardingTotalCount) : undefined,
      mayTake: (item) => mayTake(item) && !running.has(item),
    });
    this.hasLost = claim.kind === 'lost';
    if (claim.kind !== 'claimed') return claim.kind;
    running.add(claim.lease);
    return claim.lease;
  }

  private async claimAll(): Promise<void> {
    const { tree } = this.context;
    const awaited = new Set(this.awaited);
    this.awaited.clear();
    if (tree.queue().length === 0 || !this.mayClaim) return;
    const found: (ExecutionLease | 'lost')[] = [];
    await this.standBack();
    while (tree.queue().length > 0) {
      const claim = await this.claimNext(awaited);
      if (claim === 'empty') break;
      // What is left after this the others have no slots for.
      if (claim !== 'lost' && found.every((former) => former === 'lost')) await this.standBack();
      found.push(claim);
    }
    if (found.length > 0) this.context.news.tell({ kind: 'QueueClaimed' });
  }

  private async standBack(): Promise<void> {
    const { clock, running, tree } = this.context;
    const steps = Math.min(running.size, MOST_STEPS_BACK);
    if (steps > 0) await clock.sleep(steps * STAND_BACK_MS, tree.signal);
  }

  private claimNext(awaited: ReadonlySet<number>): Promise<ExecutionLease | 'lost' | 'empty'> {
    const { freeSlots } = this;
    return freeSlots > 0 ? this.take(freeSlots, () => true) : this.take(Infinity, (item) => awaited.has(item));
  }

  /** Failover is on, or there are tasks to adopt, and no operator has disabled this server. */
  private get mayClaim(): boolean {
    const { settings, tasks, tree } = this.context;
    const isQueueUsed = failsOver(settings.configuration) || tasks === 'adoptable';
    return isQueueUsed && tree.serverStatus(tree.self.serverIp) === 'ENABLED';
  }

  private get freeSlots(): number {
    const { clock, running, settings } = this.context;
    return mostItemsAtOnce(settings.configuration, clock.processors()) - running.size;
  }
}
