import {
  findMissed,
  type MisfirePolicy,
  type MissedReason,
  type MissedTimes,
  type Trigger,
} from '../../domain/index.js';
import type { JobContext, JobNews, TriggerGate } from '../leases/index.js';
import type { DueFireTimes, DueItems } from './due-fire-times.js';
import type { Duty } from './duty.js';

/** As many fire times of one outage are counted. */
const MOST_COUNTED = 1_000;

const REASONS: Readonly<Record<MisfirePolicy, MissedReason>> = { skip: 'skipped', once: 'superseded', all: 'limit' };

/**
 * Tells of due fire times that nobody has begun and nobody will. Whoever moves an item's record from one fire time to a
 * later one has found out about those in between, and only one instance can: so each is told once, and to know it costs
 * nothing. What was missed in a row is told together.
 */
export class MissedRuns implements Duty {
  constructor(
    private readonly context: JobContext,
    private readonly gate: TriggerGate,
    private readonly due: DueFireTimes,
  ) {}

  hear(news: JobNews): void {
    if (news.kind === 'ItemsBegun') this.passedBy(news.trigger, news.former);
  }

  private passedBy({ fireTime, origin }: Trigger, former: ReadonlyMap<number, number | undefined>): void {
    if (origin === 'schedule') this.tell(fireTime - 1, former);
  }

  /** Items were given up. @param former the instant after which each owed what has come */
  gaveUp(upTo: ReadonlyMap<number, number>, former: ReadonlyMap<number, number>): void {
    for (const fireTime of new Set(upTo.values())) {
      this.tell(fireTime, new Map([...former].filter(([item]) => upTo.get(item) === fireTime)));
    }
  }

  private tell(until: number, former: ReadonlyMap<number, number | undefined>): void {
    // What a Java peer has run is in no record.
    if (this.context.tree.company.runsUnrecorded) return;
    for (const group of this.due.upTo(until, former)) this.tellGroup(group);
  }

  private tellGroup({ items, due }: DueItems): void {
    const { settings } = this.context;
    const { skippedUntil } = this.gate;
    const reason = REASONS[settings.configuration.misfirePolicy];
    const refused = { ...due, until: Math.min(due.until, skippedUntil) };
    const others = { ...due, after: Math.max(due.after, skippedUntil) };
    for (const missed of findMissed(refused, MOST_COUNTED)) this.emit(items, missed, 'skipped');
    for (const missed of findMissed(others, MOST_COUNTED)) this.emit(items, missed, reason);
  }

  private emit(items: readonly number[], { first, last, count }: MissedTimes, reason: MissedReason): void {
    const { events, news, tree } = this.context;
    events.emit({ kind: 'missed', jobName: tree.jobName, items, since: first, fireTime: last, count, reason });
    news.tell({ kind: 'RunsMissed', count: items.length * count });
  }
}
