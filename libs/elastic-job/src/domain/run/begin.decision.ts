import { stopOf } from './dropped-run.js';
import { wasEarly } from './early-runs.js';
import {
  hasBegun,
  isLeftToAdopt,
  lastFireTimeOf,
  lastScheduledOf,
  type StoredRecord,
  triggersOf,
} from './run-record.js';
import { rerunIdOf, type Target, triggerIdOf } from './trigger.js';

/**
 * Decides whether an item may be begun for a target.
 * - `alreadyBegun`: this target was begun before, or (for the schedule and residents) a later one that has come;
 * - `busy`: another target still runs, or waits for failover.
 */
export type BeginDecision = 'begin' | 'alreadyBegun' | 'busy';
export type RefusalCause = Exclude<BeginDecision, 'begin'>;

/** State of an item in the tree. */
export interface ItemState {
  readonly stored: StoredRecord;
  /** True if it has a `running` mark. */
  readonly isRunning: boolean;
  readonly isQueued: boolean;
}

/** Decides for targets of the schedule and of operators; `decideFailover` decides for a failover. */
export function decideBegin(target: Target, state: ItemState): BeginDecision {
  if (rerunIdOf(target.origin) !== undefined) return decideRerun(target, state);
  const { stored, isRunning, isQueued } = state;
  if (hasBegun(stored, target) || wasEarly(stored, target) || isSuperseded(stored, target)) return 'alreadyBegun';
  return isRunning || isQueued ? 'busy' : 'begin';
}

// The progress of its re-run says which target is next, so later targets do not stand for it. One that a crash has cut
// short without failover begins again.
function decideRerun(target: Target, { stored, isRunning, isQueued }: ItemState): BeginDecision {
  if (isRunning || isQueued) return 'busy';
  return hasEnded(stored, target) ? 'alreadyBegun' : 'begin';
}

/**
 * True if the run of this target, as the record shows it, has ended for good or was told to: it runs again only if it
 * waits for failover.
 */
export function hasEnded(stored: StoredRecord, target: Target): boolean {
  if (stored.kind !== 'record' || !hasBegun(stored, target) || isLeftToAdopt(stored)) return false;
  return stored.record.settled !== undefined || stopOf(stored.record) !== undefined;
}

// True if a later fire time was handled. Fire times of one schedule are handled in order, so a later one stands for the
// missed ones before it. Those of a resident job only grow, so each is used once.
function isSuperseded(stored: StoredRecord, { fireTime, origin }: Target): boolean {
  if (origin === 'schedule') return (lastScheduledOf(stored) ?? -Infinity) >= fireTime;
  // An unreadable text does not say what had asked for the run.
  if (origin === 'resident' || stored.kind === 'none') return (lastFireTimeOf(stored) ?? -Infinity) >= fireTime;
  return triggersOf(stored).some((id) => id === triggerIdOf(origin));
}
