import type { Span } from './catch-up.decision.js';
import type { TimeInterval } from '../cluster/index.js';
import { lastScheduledOf, type RunRecord, type StoredRecord } from './run-record.js';
import type { Target } from './trigger.js';

/** The registry's clock now, and how far ahead of it a fire time may be begun. */
export interface RegistryNow extends TimeInterval {
  readonly toleranceMs: number;
}

/**
 * True if a fire time is yet to come by the registry's clock.
 * @param now undefined: nobody can say, or that clock is wrong
 */
export function isAhead(fireTime: number, now: RegistryNow | undefined): boolean {
  return now !== undefined && fireTime > now.latest + now.toleranceMs;
}

/** A record as it counts now. */
interface RecordAsOf {
  readonly stored: StoredRecord;
  /** Fire times that the record shows begun, and that are yet to come: a clock ran ahead. Ascending. */
  readonly ahead: readonly number[];
}

/** So many of the fire times that were begun ahead of their time are kept by name: the last ones. */
const KEPT_EARLY = 8;

/**
 * A record that shows fire times begun which are yet to come blocks nobody: its item owes what has come since, and is
 * begun again for anything but the fire times that the record names.
 * @param writtenAt when the record was written, on the registry's clock
 */
export function recordAsOf(stored: StoredRecord, writtenAt: number, now: RegistryNow | undefined): RecordAsOf {
  if (now === undefined) return { stored, ahead: [] };
  // The registry's clock was set back since, if it shows less than it wrote with.
  const since = writtenAt <= now.latest ? writtenAt : now.earliest - now.toleranceMs;
  if (stored.kind !== 'record') {
    const { unreadableSince } = stored;
    return { stored: unreadableSince === undefined ? stored : { ...stored, unreadableSince: since }, ahead: [] };
  }
  const { record } = stored;
  const { early, lastScheduled, target, owesAfter } = record;
  const latest = Math.max(target.fireTime, lastScheduled ?? -Infinity, owesAfter ?? -Infinity);
  if (!isAhead(latest, now)) return { stored, ahead: [] };
  const scheduled = [lastScheduled ?? [], target.origin === 'schedule' ? target.fireTime : []].flat();
  const begun = scheduled.filter((time) => !early?.fireTimes.includes(time));
  const ahead = begun.filter((time) => isAhead(time, now)).toSorted((a, b) => a - b);
  const owes = owesAfter !== undefined && isAhead(owesAfter, now) ? { owesAfter: since } : {};
  if (ahead.length === 0)
    return { stored: 'owesAfter' in owes ? { kind: 'record', record: { ...record, ...owes } } : stored, ahead };
  const fireTimes = [...new Set([...(early?.fireTimes ?? []), ...ahead])].toSorted((a, b) => a - b).slice(-KEPT_EARLY);
  const done = begun.filter((time) => !isAhead(time, now));
  return {
    stored: {
      kind: 'record',
      record: {
        ...record,
        ...owes,
        lastScheduled: Math.max(since, ...done),
        early: { after: Math.min(since, early?.after ?? since), until: fireTimes.at(-1)!, fireTimes },
      },
    },
    ahead,
  };
}

/** What a record still has to say of early runs, once the item is begun for something else; undefined: nothing. */
export function earlyRunsOf(stored: StoredRecord): RunRecord['early'] {
  const early = stored.kind === 'record' ? stored.record.early : undefined;
  const last = lastScheduledOf(stored);
  return early !== undefined && (last === undefined || last < early.until) ? early : undefined;
}

/** True if the item was begun for this fire time ahead of its time, and is not begun for it again. */
export function wasEarly(stored: StoredRecord, { fireTime, origin }: Target): boolean {
  if (stored.kind !== 'record' || origin !== 'schedule') return false;
  return stored.record.early?.fireTimes.includes(fireTime) ?? false;
}

/** Early runs as fire times that an item does not owe. */
export function spansOfEarlyRuns(stored: StoredRecord): readonly Span[] {
  const { fireTimes = [] } = (stored.kind === 'record' && stored.record.early) || {};
  return fireTimes.map((until) => ({ after: until - 1, until }));
}

/**
 * True if this begin may be the second one of its target: the one exception to "one begin per target". A clock that ran
 * ahead has begun fire times before they came, of which the record names the last ones only.
 * @param record as the begin has written it
 */
export function mayRepeatEarlyRun({ early, target }: RunRecord): boolean {
  if (early === undefined || target.origin !== 'schedule') return false;
  const { fireTime } = target;
  return early.after < fireTime && fireTime <= early.until && !early.fireTimes.includes(fireTime);
}
