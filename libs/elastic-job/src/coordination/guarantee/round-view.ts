import { type GuaranteePhase, isAwaited, isSameRound, type JobConfiguration, type Target } from '../../domain/index.js';
import type { JobTree } from '../job-tree/index.js';
import { arrivalOf, isPassed } from './guarantee-operations.js';

/** One phase of one round as one lease sees it, from the tree's memory. */
export class RoundView {
  constructor(
    private readonly tree: JobTree,
    private readonly configuration: JobConfiguration,
    readonly phase: GuaranteePhase,
    private readonly round: Target,
    private readonly lease: { readonly holder: string; readonly items: readonly number[] },
  ) {}

  /** True also if another client removed the own arrivals, which is how Java ends a round. */
  isOver(): boolean {
    const { tree, phase, lease } = this;
    if (isPassed(tree, phase, this.round)) return true;
    return lease.items.some((item) => {
      const by = arrivalOf(tree, phase, item)?.by;
      return !tree.has(tree.paths.guaranteed(phase, item)) || (by !== undefined && by !== lease.holder);
    });
  }

  /** True if a Java peer waits here, or is about to. */
  isJavaHere(): boolean {
    return this.tree.arrived(this.phase).some((item) => arrivalOf(this.tree, this.phase, item) === undefined);
  }

  /** True if the lease's instance came last among the living and must call the listener. */
  isLast(): boolean {
    let last = { by: '', zxid: -1n };
    for (const item of this.tree.arrived(this.phase)) {
      const arrival = arrivalOf(this.tree, this.phase, item);
      const zxid = this.tree.stat(this.tree.paths.guaranteed(this.phase, item))?.mzxid ?? -1n;
      if (arrival !== undefined && this.isHere(item) && zxid > last.zxid) last = { by: arrival.by, zxid };
    }
    return last.by === this.lease.holder;
  }

  /** Items of the job for which no living instance has arrived. */
  absent(): number[] {
    const { shardingTotalCount } = this.configuration;
    return this.tree.items().filter((item) => item < shardingTotalCount && !this.isHere(item));
  }

  /** Absent items that can still come. Their records must be loaded. */
  missing(): number[] {
    return this.absent().filter((item) => this.isAwaited(item));
  }

  private isAwaited(item: number): boolean {
    const { tree } = this;
    const owner = tree.availableInstance(tree.owner(item));
    const stored = tree.record(item)?.stored ?? { kind: 'none' };
    return isAwaited(this.phase, this.round, this.configuration, {
      owner: owner === undefined ? 'nobody' : owner.isOurs ? 'ours' : 'java',
      isDisabled: tree.isDisabled(item),
      isHeld: tree.isRunning(item) || tree.has(tree.paths.queued(item)),
      stored,
      isRecorderAlive: stored.kind === 'record' && tree.hasInstance(stored.record.by),
    });
  }

  /**
   * True if the item has arrived for this round. Java does not name the round; leftovers of a dead instance or an
   * earlier round do not count.
   */
  private isHere(item: number): boolean {
    if (!this.tree.has(this.tree.paths.guaranteed(this.phase, item))) return false;
    const arrival = arrivalOf(this.tree, this.phase, item);
    return arrival === undefined || (isSameRound(arrival.round, this.round) && this.tree.hasInstance(arrival.by));
  }
}
