import type { JobTree } from '../../coordination/index.js';
import {
  findMissed,
  type MisfirePolicy,
  type MissedReason,
  type MissedTimes,
  type Trigger,
} from '../../domain/index.js';
import type { JobEvents } from '../../tracing/index.js';
import type { JobSettings, TriggerGate } from '../leases/index.js';
import type { DueFireTimes, DueItems } from './due-fire-times.js';

/** As many fire times of one outage are counted. */
const MOST_COUNTED = 1_000;

const REASONS: Readonly<Record<MisfirePolicy, MissedReason>> = { skip: 'skipped', once: 'superseded', all: 'limit' };

/** What telling of missed runs needs of a job's session. */
export interface MissedRunParts {
  readonly tree: JobTree;
  readonly events: JobEvents;
  readonly settings: JobSettings;
  readonly gate: TriggerGate;
  readonly due: DueFireTimes;
  /** @param count fire times, times items */
  onMissed(count: number): void;
}

/**
 * Tells of due fire times that nobody has begun and nobody will. Whoever moves an item's record from one fire time to a
 * later one has found out about those in between, and only one instance can: so each is told once, and to know it costs
 * nothing. What was missed in a row is told together.
 */
export class MissedRuns {
  constructor(private readonly parts: MissedRunParts) {}

  /** Items were begun. @param former the instant after which each owed what has come */
  passedBy({ fireTime, origin }: Trigger, former: ReadonlyMap<number, number | undefined>): void {
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
    if (this.parts.tree.isMixed()) return;
    for (const group of this.parts.due.upTo(until, former)) this.tellGroup(group);
  }

  private tellGroup({ items, due }: DueItems): void {
    const { gate, settings } = this.parts;
    const { skippedUntil } = gate;
    const reason = REASONS[settings.configuration.misfirePolicy];
    const refused = { ...due, until: Math.min(due.until, skippedUntil) };
    const others = { ...due, after: Math.max(due.after, skippedUntil) };
    for (const missed of findMissed(refused, MOST_COUNTED)) this.emit(items, missed, 'skipped');
    for (const missed of findMissed(others, MOST_COUNTED)) this.emit(items, missed, reason);
  }

  private emit(items: readonly number[], { first, last, count }: MissedTimes, reason: MissedReason): void {
    const { events, tree } = this.parts;
    events.emit({ kind: 'missed', jobName: tree.jobName, items, since: first, fireTime: last, count, reason });
    this.parts.onMissed(items.length * count);
  }
}
