import {
  isLeftToAdopt,
  isSameTarget,
  type ItemState,
  type SettledRun,
  stopOf,
  type StoredRecord,
  type Target,
} from '../run/index.js';

export type FailoverDecision =
  | { readonly kind: 'begin'; readonly target: Target }
  /** Another run of the item has not ended, or another instance has claimed it. */
  | { readonly kind: 'busy' }
  /** Nothing is owed, so the queue entry can be removed. */
  | { readonly kind: 'void' };

/** State of a queued item in the tree. */
export interface QueuedItemState extends Omit<ItemState, 'isQueued'> {
  /** True if it has the marks of a failover. */
  readonly isTaken: boolean;
  /** True if runs end without a word in the record, as beside Java: only the removal of the mark shows the end. */
  readonly endsByMark: boolean;
  readonly lastRun: LastRunKind;
  /** Relation of this instance to the holder in the record. */
  readonly holder: 'self' | 'other' | 'gone';
  /** The target of a run that left no record: the last fire time before the entry was made. */
  readonly unrecorded: Target;
}

/**
 * Kind of the item's last begun run: `recorded` if the record shows it, `unrecorded` for a Java peer's, `unknown` if
 * this instance has not seen it.
 */
export type LastRunKind = 'recorded' | 'unrecorded' | 'unknown';

/**
 * Decides on a queued item. It is run again for the target that its record shows begun and not finished, or, after a
 * Java peer's run, for the probable fire time of that run. In doubt it is run.
 */
export function decideFailover(state: QueuedItemState): FailoverDecision {
  const { stored, isRunning, isTaken, lastRun, unrecorded } = state;
  if (isRunning || isTaken) return { kind: 'busy' };
  if (stored.kind === 'none' || lastRun === 'unrecorded') return { kind: 'begin', target: unrecorded };
  const { settled, target } = stored.record;
  // A leader of Java or of an earlier release queues a stopped run by its mark alone.
  const isStopped = wasStopped(stored);
  if (isStopped && !state.endsByMark) return { kind: 'void' };
  if (!isStopped && settled === undefined) return decideUnsettled(state, target);
  if (!isStopped && isToRepeat(settled)) return { kind: 'begin', target };
  if (lastRun === 'recorded' || isSameTarget(target, unrecorded)) return { kind: 'void' };
  return { kind: 'begin', target: unrecorded };
}

function isToRepeat(settled: SettledRun | undefined): boolean {
  return settled?.outcome === 'aborted' || settled?.isOwed === true;
}

// A stopped task still needs somebody who follows it to its end.
function wasStopped(stored: StoredRecord): boolean {
  if (stored.kind === 'none' || isLeftToAdopt(stored)) return false;
  return stopOf(stored.record) !== undefined || stored.record.settled?.cause === 'cancelled';
}

// Beside Java a good end leaves the record unsettled: the mark's removal shows it. If the holder lives, the entry is a
// Java peer's mistake, and only the holder knows whether the run still goes on.
function decideUnsettled(
  { endsByMark, lastRun, holder, unrecorded }: QueuedItemState,
  target: Target,
): FailoverDecision {
  if (!endsByMark) return { kind: 'begin', target };
  if (lastRun === 'unknown') return { kind: 'begin', target: unrecorded };
  if (holder === 'gone') return { kind: 'begin', target };
  return { kind: holder === 'self' ? 'void' : 'busy' };
}
