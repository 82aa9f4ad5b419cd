import { hasBegun, lastScheduledOf, type StoredRecord } from './run-record.js';
import type { Target } from './trigger.js';

/**
 * Whether an item may be begun for a target.
 * - `alreadyBegun`: this very target, or (of the schedule) a later one, was begun before: nothing to do;
 * - `busy`: another target still runs, or waits for failover;
 * - `foreign`: the record was written by a version that this one cannot judge.
 */
export type BeginDecision = 'begin' | 'alreadyBegun' | 'busy' | 'foreign';
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
  if (stored.kind === 'foreign') return 'foreign';
  if (hasBegun(stored, target) || isSuperseded(stored, target)) return 'alreadyBegun';
  return isRunning || isQueued ? 'busy' : 'begin';
}

export type FailoverDecision =
  | { readonly kind: 'begin'; readonly target: Target }
  /** Another run of the item has not ended, somebody has taken it, or its record cannot be judged. */
  | { readonly kind: 'busy' }
  /** Nothing is owed: the queue entry can go. */
  | { readonly kind: 'void' };

/** What the tree says of a queued item. */
export interface QueuedItemState extends Omit<ItemState, 'isQueued'> {
  /** It bears the marks of a failover. */
  readonly isTaken: boolean;
}

/** A queued item is run again for the target that its record shows begun and not finished. */
export function decideFailover({ stored, isRunning, isTaken }: QueuedItemState): FailoverDecision {
  if (isRunning || isTaken || stored.kind === 'foreign') return { kind: 'busy' };
  if (stored.kind !== 'record') return { kind: 'void' };
  const { settled, target } = stored.record;
  return settled === undefined || settled.outcome === 'aborted' ? { kind: 'begin', target } : { kind: 'void' };
}

// Fire times of one schedule are handled in order: a later one stands for the earlier ones that were missed.
function isSuperseded(stored: StoredRecord, target: Target): boolean {
  const last = lastScheduledOf(stored);
  return target.origin === 'schedule' && last !== undefined && last >= target.fireTime;
}
