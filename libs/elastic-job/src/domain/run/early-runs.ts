import type { Span } from './catch-up.decision.js';
import type { TimeInterval } from '../cluster/index.js';
import { lastScheduledOf, type RunRecord, type StoredRecord } from './run-record.js';
import type { Target } from './trigger.js';

/** The registry's clock now, and by how much a fire time may be begun ahead of it. */
export interface RegistryNow extends TimeInterval {
  readonly toleranceMs: number;
}

/**
 * True if a fire time is still to come by the registry's clock.
 * @param now undefined if that clock is unknown or wrong
 */
export function isAhead(fireTime: number, now: RegistryNow | undefined): boolean {
  return now !== undefined && fireTime > now.latest + now.toleranceMs;
}

/** A record, reduced to what counts now. */
interface RecordAsOf {
  readonly stored: StoredRecord;
  /** Fire times that are begun in the record and still to come, because a clock ran ahead. Ascending. */
  readonly ahead: readonly number[];
}

/** Nearly all records have nothing ahead. */
const NONE: readonly number[] = [];

/** Most early fire times that a record names: the last ones. */
const KEPT_EARLY = 8;

/**
 * Reduces a record to what counts now. Fire times that were begun early, because a clock ran ahead, block nothing: the
 * item owes what has come since, and may be begun again for any fire time that the record does not name.
 * @param writtenAt when the record was written, on the registry's clock
 */
export function recordAsOf(stored: StoredRecord, writtenAt: number, now: RegistryNow | undefined): RecordAsOf {
  if (now === undefined) return { stored, ahead: NONE };
  // The registry's clock was set back, if it shows less now than at the write.
  const since = writtenAt <= now.latest ? writtenAt : now.earliest - now.toleranceMs;
  if (stored.kind !== 'record') {
    const { unreadableSince } = stored;
    return { stored: unreadableSince === undefined ? stored : { ...stored, unreadableSince: since }, ahead: NONE };
  }
  const { record } = stored;
  const { early, lastScheduled, target, owesAfter } = record;
  const latest = Math.max(target.fireTime, lastScheduled ?? -Infinity, owesAfter ?? -Infinity);
  if (!isAhead(latest, now)) return { stored, ahead: NONE };
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

/**
 * The early runs that the next record must still name, once the item is begun for another target; undefined if there
 * are none.
 */
export function earlyRunsOf(stored: StoredRecord): RunRecord['early'] {
  const early = stored.kind === 'record' ? stored.record.early : undefined;
  const last = lastScheduledOf(stored);
  return early !== undefined && (last === undefined || last < early.until) ? early : undefined;
}

/** True if the item was begun early for this fire time, so it is not begun for it again. */
export function wasEarly(stored: StoredRecord, { fireTime, origin }: Target): boolean {
  if (stored.kind !== 'record' || origin !== 'schedule') return false;
  return stored.record.early?.fireTimes.includes(fireTime) ?? false;
}

/** Early runs as spans of fire times that an item does not owe. */
export function spansOfEarlyRuns(stored: StoredRecord): readonly Span[] {
  const { fireTimes = [] } = (stored.kind === 'record' && stored.record.early) || {};
  return fireTimes.map((until) => ({ after: until - 1, until }));
}

/**
 * True if this begin may be the second one of its target: the one exception to "one begin per target". A clock that ran
 * ahead has begun fire times before they came, and the record names only the last ones.
 * @param record as the begin has written it
 */
export function mayRepeatEarlyRun({ early, target }: RunRecord): boolean {
  if (early === undefined || target.origin !== 'schedule') return false;
  const { fireTime } = target;
  return early.after < fireTime && fireTime <= early.until && !early.fireTimes.includes(fireTime);
}
