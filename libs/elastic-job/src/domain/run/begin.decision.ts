import { wasEarly } from './early-runs.js';
import { hasBegun, lastFireTimeOf, lastScheduledOf, type StoredRecord, triggersOf } from './run-record.js';
import { isSameTarget, type Target, triggerIdOf } from './trigger.js';

/**
 * Whether an item may be begun for a target.
 * - `alreadyBegun`: this very target, or (of the schedule and of residents) a later one that has come, was begun
 *   before;
 * - `busy`: another target still runs, or waits for failover.
 */
export type BeginDecision = 'begin' | 'alreadyBegun' | 'busy';
export type RefusalCause = Exclude<BeginDecision, 'begin'>;

/** What the tree says of an item. */
export interface ItemState {
  readonly stored: StoredRecord;
  /** It bears a `running` mark. */
  readonly isRunning: boolean;
  readonly isQueued: boolean;
}

/** For targets of the schedule and of operators; a failover is decided by `decideFailover`. */
export function decideBegin(target: Target, { stored, isRunning, isQueued }: ItemState): BeginDecision {
  if (hasBegun(stored, target) || wasEarly(stored, target) || isSuperseded(stored, target)) return 'alreadyBegun';
  return isRunning || isQueued ? 'busy' : 'begin';
}

export type FailoverDecision =
  | { readonly kind: 'begin'; readonly target: Target }
  /** Another run of the item has not ended, or somebody has taken it. */
  | { readonly kind: 'busy' }
  /** Nothing is owed: the queue entry can go. */
  | { readonly kind: 'void' };

/** What the tree says of a queued item. */
export interface QueuedItemState extends Omit<ItemState, 'isQueued'> {
  /** It bears the marks of a failover. */
  readonly isTaken: boolean;
  /** Runs end without a word in the record, as beside Java: the mark that goes is all that tells. */
  readonly endsByMark: boolean;
  readonly lastRun: LastRunKind;
  /** The instance that the record names. */
  readonly holder: 'self' | 'other' | 'gone';
  /** What a run that left no record is taken to have been for: the last fire time before the entry was made. */
  readonly unrecorded: Target;
}

/**
 * Which run of an item began last: the one that its record shows, one that left no record (a Java peer's), or nobody
 * can say, because this instance has not seen it.
 */
export type LastRunKind = 'recorded' | 'unrecorded' | 'unknown';

/**
 * A queued item is run again for the target that its record shows begun and not finished; if it was a Java peer's run,
 * for the fire time that this must have been. In doubt it is run.
 */
export function decideFailover(state: QueuedItemState): FailoverDecision {
  const { stored, isRunning, isTaken, lastRun, unrecorded } = state;
  if (isRunning || isTaken) return { kind: 'busy' };
  if (stored.kind === 'none' || lastRun === 'unrecorded') return { kind: 'begin', target: unrecorded };
  const { settled, target } = stored.record;
  if (settled === undefined) return decideUnsettled(state, target);
  if (settled.outcome === 'aborted' || settled.isOwed === true) return { kind: 'begin', target };
  if (lastRun === 'recorded' || isSameTarget(target, unrecorded)) return { kind: 'void' };
  return { kind: 'begin', target: unrecorded };
}

// Beside Java a run that ended well leaves its record unsettled: the mark's removal tells. If its holder lives, the
// entry is a Java peer's mistake, and only the holder knows whether it is still at it.
function decideUnsettled(
  { endsByMark, lastRun, holder, unrecorded }: QueuedItemState,
  target: Target,
): FailoverDecision {
  if (!endsByMark) return { kind: 'begin', target };
  if (lastRun === 'unknown') return { kind: 'begin', target: unrecorded };
  if (holder === 'gone') return { kind: 'begin', target };
  return { kind: holder === 'self' ? 'void' : 'busy' };
}

// Fire times of one schedule are handled in order: a later one stands for the earlier ones that were missed. Those of a
// resident job only grow, so none is there twice.
function isSuperseded(stored: StoredRecord, { fireTime, origin }: Target): boolean {
  if (origin === 'schedule') return (lastScheduledOf(stored) ?? -Infinity) >= fireTime;
  // Of a text that cannot be read, nobody can say what had asked for the run.
  if (origin === 'resident' || stored.kind === 'none') return (lastFireTimeOf(stored) ?? -Infinity) >= fireTime;
  return triggersOf(stored).some((id) => id === triggerIdOf(origin));
}
