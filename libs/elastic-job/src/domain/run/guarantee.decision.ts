import type { StoredRecord } from './run-record.js';
import type { Target } from './trigger.js';

/** The two points at which all items of a run wait for each other. */
export type GuaranteePhase = 'started' | 'completed';

/** Triggers of Java's console reach the instances one by one, each with an id of its own, at almost the same time. */
const SAME_MANUAL_MS = 1_000;

/** True if two targets stand for one run of the whole job. */
export function isSameRound(a: Target, b: Target): boolean {
  if (a.origin === b.origin) return a.fireTime === b.fireTime;
  const areManual = a.origin !== 'schedule' && b.origin !== 'schedule';
  return areManual && Math.abs(a.fireTime - b.fireTime) < SAME_MANUAL_MS;
}

/** What is known of an item that has not arrived where others wait. */
export interface AwaitedItem {
  /** Who is to run it: one of our instances, a Java peer, or nobody who can. */
  readonly owner: 'ours' | 'java' | 'nobody';
  readonly isDisabled: boolean;
  /** It runs, or waits for an instance to take it over. */
  readonly isHeld: boolean;
  readonly stored: StoredRecord;
  /** The instance that wrote the record is registered. */
  readonly isRecorderAlive: boolean;
}

/**
 * True if an item can still arrive at a phase of a round. Nobody waits for what is disabled, has no instance, or died
 * for good; that is what made Java's instances wait until the time-out.
 * @see ElasticJob, issues 487, 2032, 2142, for what must not happen
 */
export function isAwaited(
  phase: GuaranteePhase,
  round: Target,
  job: { readonly monitorExecution: boolean; readonly misfire: boolean },
  item: AwaitedItem,
): boolean {
  const { owner, isDisabled, isHeld, stored } = item;
  // Of these there is no record.
  if (owner === 'java' || !job.monitorExecution) return owner !== 'nobody' && !isDisabled;
  const run = stored.kind === 'record' ? stored.record : undefined;
  if (run !== undefined && isSameRound(run.target, round)) {
    return isHeld || (phase === 'completed' && run.settled !== undefined && item.isRecorderAlive);
  }
  // It has not begun this round: if it will, only once it is free.
  const isPast = run !== undefined && run.target.fireTime > round.fireTime;
  return phase === 'started' && !isPast && owner === 'ours' && !isDisabled && (job.misfire || !isHeld);
}
