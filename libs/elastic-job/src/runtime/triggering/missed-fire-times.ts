import type { JobTree } from '../../coordination/index.js';
import { findMissed, type MisfirePolicy, type MissedReason, type MissedTimes } from '../../domain/index.js';
import type { Schedule } from '../../scheduling/index.js';
import type { JobSettings } from '../settings/index.js';
import type { NewsFeed, News } from '../news/index.js';
import type { TriggerGate } from '../runs/index.js';
import type { JobEvents } from '../../tracing/index.js';
import type { OwedFireTimes, OwingItems } from './owed-fire-times.js';

/** Most fire times counted per outage. */
const MOST_COUNTED = 1_000;

const REASONS: Readonly<Record<MisfirePolicy, MissedReason>> = { skip: 'skipped', once: 'superseded', all: 'limit' };

/**
 * Tells of owed fire times that were not begun and never will be. Advancing a record is a compare-and-set, so exactly
 * one instance sees the skipped range and reports it, at no extra request. Consecutive fire times are told together.
 */
export class MissedFireTimes {
  constructor(
    private readonly tree: JobTree,
    private readonly settings: JobSettings,
    private readonly events: JobEvents,
    private readonly news: NewsFeed,
    private readonly gate: TriggerGate,
    private readonly owed: OwedFireTimes,
  ) {}

  itemsBegun({ trigger, former }: News<'ItemsBegun'>): void {
    if (trigger.origin === 'schedule') this.tell(trigger.fireTime - 1, former);
  }

  /** Tells of fire times that were given up. @param former instant after which each item owed fire times */
  gaveUp(upTo: ReadonlyMap<number, number>, former: ReadonlyMap<number, number>): void {
    for (const fireTime of new Set(upTo.values())) {
      this.tell(fireTime, new Map([...former].filter(([item]) => upTo.get(item) === fireTime)));
    }
  }

  private tell(until: number, former: ReadonlyMap<number, number | undefined>): void {
    const { settings, tree } = this;
    // Java peers write no records of their runs.
    if (tree.company.runsUnrecorded) return;
    const { schedule } = settings;
    const lasts = new Set(former.values());
    // A begin nearly always follows the previous fire time, so one look at the schedule must be enough for that case.
    if (schedule !== undefined && [...lasts].every((last) => !hasFireTime(schedule, last, until))) return;
    for (const group of this.owed.upTo(until, former)) this.tellGroup(group);
  }

  private tellGroup({ items, owed }: OwingItems): void {
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
    news.tell({ kind: 'FireTimesMissed', count: items.length * count });
  }
}

/** @param after undefined if it is unknown since when fire times are owed; then none is */
function hasFireTime(schedule: Schedule, after: number | undefined, until: number): boolean {
  return after !== undefined && after < until && (schedule.next(after) ?? Infinity) <= until;
}
