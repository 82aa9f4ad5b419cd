import type { JobTree } from '../../coordination/index.js';
import {
  decideCatchUp,
  lastScheduledOf,
  type OwedSpan,
  owesAfter,
  SparseMap,
  type Trigger,
} from '../../domain/index.js';
import type { JobSchedule, JobSettings } from '../settings/index.js';
import type { TriggerGate } from '../runs/index.js';
import type { OwedFireTimes, OwingItems } from './owed-fire-times.js';

/** Fire times that items of this instance owe now, as their records tell. Records are loaded before they are read. */
export class ItemDebts {
  /** Instant after which an item owes fire times, for items whose first begin the registry refused. */
  private readonly refusedAfter = new SparseMap<number, number>();

  constructor(
    private readonly tree: JobTree,
    private readonly settings: JobSettings,
    private readonly schedule: Pick<JobSchedule, 'excluded'>,
    private readonly gate: TriggerGate,
    private readonly owed: OwedFireTimes,
  ) {}

  /** True if anything can be caught up on now. */
  get arePayable(): boolean {
    const { schedule, settings, tree } = this;
    const { mayBeginUnasked, timeCheck } = this.gate;
    const isAllowed = settings.configuration.monitorExecution && mayBeginUnasked && timeCheck.problem === undefined;
    if (!isAllowed || schedule.excluded === undefined) return false;
    // A Java leader waits for the item, so it must not be kept beyond its run.
    return !(tree.company.plansWhenIdle && tree.isReshardingPending());
  }

  loadRecords(items: readonly number[]): ReturnType<JobTree['loadRecords']> {
    return this.tree.loadRecords(items, { signal: this.tree.signal });
  }

  /** Groups the items by the fire times that they owe until now. */
  groups(items: readonly number[], until: number): readonly OwingItems[] {
    return this.owed.upTo(until, new Map(items.map((item) => [item, this.lastOf(item)])));
  }

  /** Next fire time to run for a group, excluding those refused for clock skew. */
  target(owed: OwedSpan): number | undefined {
    const after = Math.max(owed.after, this.gate.timeCheck.skippedUntil);
    return decideCatchUp({ ...owed, after }, this.settings.configuration);
  }

  /** True if the job has starts instead of a schedule. Every recorded start has come, whatever this clock says. */
  get isStartedAfter(): boolean {
    return this.settings.configuration.after.length > 0;
  }

  /**
   * True if an item may owe more after a run. From memory only, so that a trigger in steady state ends with its settle.
   */
  mayOweAfter({ source }: Trigger, item: number): boolean {
    const isOneOfMany = source === 'MISFIRE' && this.settings.configuration.misfirePolicy === 'all';
    return this.isMisfired(item) || isOneOfMany || source === 'FAILOVER';
  }

  /** Notes that items could not be begun for a fire time, since items without a record owe nothing else. */
  noteRefused(items: readonly number[], fireTime: number): void {
    for (const item of items) if (!this.refusedAfter.has(item)) this.refusedAfter.set(item, fireTime - 1);
  }

  /** Forgets refused fire times when a Java peer joins, since the peer may have run them. */
  leaveToPeers(): void {
    this.refusedAfter.clear();
  }

  /** Last fire time that is not owed any more; undefined if the item owes nothing at all. */
  private lastOf(item: number): number | undefined {
    const { tree } = this;
    const stored = tree.record(item)?.stored;
    if (stored === undefined) return undefined;
    // There are no starts before the item exists, and a start may come after a trigger that is younger than its fire
    // time.
    if (this.isStartedAfter) return lastScheduledOf(stored) ?? 0;
    // Java peers write no records of their runs, so only the flag counts.
    const last = tree.company.runsUnrecorded ? undefined : (owesAfter(stored) ?? this.refusedAfter.get(item));
    return last ?? (this.isMisfired(item) ? 0 : undefined);
  }

  private isMisfired(item: number): boolean {
    return this.tree.has(this.tree.paths.mark(item, 'misfire'));
  }
}
