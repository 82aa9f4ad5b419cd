import type { StoredRecord } from './run-record.js';
import type { Target } from './trigger.js';

/** The two points at which all items of a run wait for each other. */
export type GuaranteePhase = 'started' | 'completed';

/** Triggers of Java's console reach the instances one by one, each with its own id, at almost the same time. */
const SAME_MANUAL_MS = 1_000;

/** True if two targets stand for one run of the whole job. */
export function isSameRound(a: Target, b: Target): boolean {
  if (a.origin === b.origin) return a.fireTime === b.fireTime;
  const areManual = a.origin !== 'schedule' && b.origin !== 'schedule';
  return areManual && Math.abs(a.fireTime - b.fireTime) < SAME_MANUAL_MS;
}

/** An item for which others wait at a barrier. */
export interface AwaitedItem {
  /** The instance that is to run it: ours, a Java peer, or none. */
  readonly owner: 'ours' | 'java' | 'nobody';
  readonly isDisabled: boolean;
  /** True if it runs, or waits for an instance to take it over. */
  readonly isHeld: boolean;
  readonly stored: StoredRecord;
  /** True if the instance that wrote the record is registered. */
  readonly isRecorderAlive: boolean;
}

/**
 * True if an item can still arrive at a phase of a round. Items that are disabled, have no instance or died for good
 * must not be waited for: Java's instances wait for them until the time-out.
 * @see ElasticJob, issues 487, 2032, 2142, for what must not happen
 */
export function isAwaited(
  phase: GuaranteePhase,
  round: Target,
  job: { readonly monitorExecution: boolean; readonly misfire: boolean },
  item: AwaitedItem,
): boolean {
  const { owner, isDisabled, isHeld, stored } = item;
  // Such items have no record.
  if (owner === 'java' || !job.monitorExecution) return owner !== 'nobody' && !isDisabled;
  const run = stored.kind === 'record' ? stored.record : undefined;
  if (run !== undefined && isSameRound(run.target, round)) {
    return isHeld || (phase === 'completed' && run.settled !== undefined && item.isRecorderAlive);
  }
  // The item has not begun this round, and can begin it only once it is free.
  const isPast = run !== undefined && run.target.fireTime > round.fireTime;
  return phase === 'started' && !isPast && owner === 'ours' && !isDisabled && (job.misfire || !isHeld);
}
