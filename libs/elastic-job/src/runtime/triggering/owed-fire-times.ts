import type { JobTree } from '../../coordination/index.js';
import {
  decideCatchUp,
  decideGiveUp,
  findMissed,
  fireTimesOf,
  lastScheduledOf,
  type MisfirePolicy,
  type MissedReason,
  type MissedTimes,
  type OwedSpan,
  owesAfter,
  type Span,
  spansOfEarlyRuns,
  spansOfStarts,
  SparseMap,
  type Start,
  type Trigger,
} from '../../domain/index.js';
import type { Schedule } from '../../scheduling/index.js';
import type { JobEvents } from '../../tracing/index.js';
import type { News, NewsEmitter } from '../news/index.js';
import type { TriggerGate } from '../runs/index.js';
import type { JobSchedule, JobSettings } from '../settings/index.js';
import type { NotedSpan, ScheduleClock } from '../time/index.js';
import type { OperatorSwitches } from './operator-switches.js';

/** Most fire times counted per outage. */
const MOST_COUNTED = 1_000;

const REASONS: Readonly<Record<MisfirePolicy, MissedReason>> = { skip: 'skipped', once: 'superseded', all: 'limit' };

/** Items that owe the same fire times. */
export interface OwingItems {
  readonly items: readonly number[];
  readonly owed: OwedSpan;
}

/**
 * Fire times that the items of a job owe: those of its schedule, except while an operator had disabled them. What an
 * item owes follows from its record, which must be loaded first.
 */
export class OwedFireTimes {
  /** Instant after which an item owes fire times, for items whose first begin the registry refused. */
  private readonly refusedAfter = new SparseMap<number, number>();

  constructor(
    private readonly tree: JobTree,
    private readonly settings: JobSettings,
    private readonly schedule: Pick<JobSchedule, 'excluded'>,
    private readonly scheduleClock: ScheduleClock,
    private readonly switches: OperatorSwitches,
    private readonly gate: TriggerGate,
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
    return this.upTo(until, new Map(items.map((item) => [item, this.lastOf(item)])));
  }

  /** Those of the items, whose records are loaded, that owe a fire time which is to be begun now. */
  payable(items: readonly number[], now: number): readonly number[] {
    if (!this.arePayable) return [];
    const groups = this.groups(items, this.isStartedAfter ? Infinity : now);
    return groups.filter(({ owed }) => this.target(owed) !== undefined).flatMap((group) => group.items);
  }

  /** Next fire time to run for a group, excluding those refused for clock skew. */
  target(owed: OwedSpan): number | undefined {
    const after = Math.max(owed.after, this.gate.timeCheck.skippedUntil);
    return decideCatchUp({ ...owed, after }, this.settings.configuration);
  }

  /** True if older fire times of an item are begun first, one after the other. */
  get areOrdered(): boolean {
    const { misfirePolicy, monitorExecution } = this.settings.configuration;
    return misfirePolicy === 'all' && monitorExecution;
  }

  /** True if nothing that is owed is begun later. */
  get areSkipped(): boolean {
    return this.settings.configuration.misfirePolicy === 'skip';
  }

  /**
   * Fire time up to which those of a group are given up, and milliseconds until the next one is too late for the
   * trigger that may still begin it; each undefined if there is none.
   */
  toGiveUp(owed: OwedSpan, now: number): { readonly upTo: number | undefined; readonly nextInMs: number | undefined } {
    const { configuration } = this.settings;
    const { shardingTimeoutMs } = configuration;
    const { upTo, waiting } = decideGiveUp(owed, configuration, now - shardingTimeoutMs);
    const isNext = this.areSkipped && waiting !== undefined;
    return { upTo, nextInMs: isNext ? waiting + shardingTimeoutMs - now : undefined };
  }

  /** The time now. The registry is asked first if this clock seems to run ahead. */
  now(): Promise<number> {
    return this.scheduleClock.now();
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

  /**
   * Fire times owed up to an instant, for each group of items with the same past. Beside Java there are none, as its
   * runs leave no record, unless the caller knows better.
   * @param after last fire time by item for which it was begun; undefined if it is unknown since when it owes any
   */
  upTo(until: number, after: ReadonlyMap<number, number | undefined>): readonly OwingItems[] {
    const { schedule: times, settings, tree } = this;
    const { starts } = this;
    const schedule = starts === undefined ? settings.schedule : fireTimesOf(starts);
    if (schedule === undefined) return [];
    // Starts have the instants that the instances noted when they wrote them.
    const noted = (spans: readonly NotedSpan[]) => (starts === undefined ? spans : spans.map(({ shared }) => shared));
    const excluding = (spans: readonly Span[]) => (starts === undefined ? spans : spansOfStarts(starts, spans));
    const common = [...this.beforeSettings(), ...noted([this.switches.serverSpan, ...(times.excluded ?? [])])];
    const groups = new Map<string, { readonly items: number[]; readonly owed: OwedSpan }>();
    for (const [item, last] of after) {
      if (last === undefined || last >= until) continue;
      const own = noted(this.switches.spansOf(item));
      const early = spansOfEarlyRuns(tree.record(item)?.stored ?? { kind: 'none' });
      const key = [last, ...[...own, ...early].map((span) => span.until)].join();
      const group = groups.get(key) ?? {
        items: [],
        owed: { schedule, after: last, until, excluded: [...excluding([...common, ...own]), ...early] },
      };
      groups.set(key, group);
      group.items.push(item);
    }
    return [...groups.values()];
  }

  /** Starts that replace the schedule in a job that starts after others; undefined in any other job. */
  private get starts(): readonly Start[] | undefined {
    const { settings, tree } = this;
    return settings.configuration.after.length === 0 ? undefined : (tree.startLedger()?.starts ?? []);
  }

  /** A start is owed regardless of the settings of its time, since no other instance has run it. */
  private beforeSettings(): readonly Span[] {
    const { scheduleClock, settings } = this;
    return this.starts === undefined ? [{ after: 0, until: scheduleClock.fromRegistry(settings.writtenAt).own }] : [];
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

/**
 * Reports owed fire times that were not begun and never will be. Advancing a record is a compare-and-set, so exactly
 * one instance sees the skipped range and reports it, at no extra request. Consecutive fire times share one report.
 */
export class MissedFireTimes {
  constructor(
    private readonly tree: JobTree,
    private readonly settings: JobSettings,
    private readonly events: JobEvents,
    private readonly news: NewsEmitter,
    private readonly gate: TriggerGate,
    private readonly owed: OwedFireTimes,
  ) {}

  itemsBegun({ trigger, former }: News<'ItemsBegun'>): void {
    if (trigger.origin === 'schedule') this.report(trigger.fireTime - 1, former);
  }

  /** Reports fire times that were given up. @param former instant after which each item owed fire times */
  gaveUp(upTo: ReadonlyMap<number, number>, former: ReadonlyMap<number, number>): void {
    for (const fireTime of new Set(upTo.values())) {
      this.report(fireTime, new Map([...former].filter(([item]) => upTo.get(item) === fireTime)));
    }
  }

  private report(until: number, former: ReadonlyMap<number, number | undefined>): void {
    const { settings, tree } = this;
    // Java peers write no records of their runs.
    if (tree.company.runsUnrecorded) return;
    const { schedule } = settings;
    const lasts = new Set(former.values());
    // A begin nearly always follows the previous fire time, so one look at the schedule must be enough for that case.
    if (schedule !== undefined && [...lasts].every((last) => !hasFireTime(schedule, last, until))) return;
    for (const group of this.owed.upTo(until, former)) this.reportGroup(group);
  }

  private reportGroup({ items, owed }: OwingItems): void {
    const { settings } = this;
    const { skippedUntil } = this.gate.timeCheck;
    const reason = REASONS[settings.configuration.misfirePolicy];
    const refused = { ...owed, until: Math.min(owed.until, skippedUntil) };
    const others = { ...owed, after: Math.max(owed.after, skippedUntil) };
    for (const missed of findMissed(refused, MOST_COUNTED)) this.emit(items, missed, 'skipped');
    for (const missed of findMissed(others, MOST_COUNTED)) this.emit(items, missed, reason);
  }

  private emit(items: readonly number[], { first, last, count }: MissedTimes, reason: MissedReason): void {
    const { events, news, tree } = this;
    events.emit({ kind: 'missed', jobName: tree.jobName, items, since: first, fireTime: last, count, reason });
    news.emit({ kind: 'FireTimesMissed', count: items.length * count });
  }
}

/** @param after undefined if it is unknown since when fire times are owed; then none is */
function hasFireTime(schedule: Schedule, after: number | undefined, until: number): boolean {
  return after !== undefined && after < until && (schedule.next(after) ?? Infinity) <= until;
}
