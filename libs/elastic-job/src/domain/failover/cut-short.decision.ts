import { isLeftToAdopt, rerunIdOf, type RunRecord, stopOf, type StoredRecord } from '../run/index.js';

/**
 * Why nobody repeats a run that a crash has cut short:
 * - `failover-off`: the job has no failover;
 * - `beyond-total`: the total is smaller now, so there is no such item any more;
 * - `cancelled`: an operator had cancelled it;
 * - `timed-out`: it had taken longer than `timeoutMs`.
 */
export type CutShortReason = 'failover-off' | 'beyond-total' | 'cancelled' | 'timed-out';

/** Runs of one fire time that a crash has cut short and that nobody repeats. */
export interface CutShortRuns {
  /** Ascending. */
  readonly items: readonly number[];
  /** Milliseconds since the epoch. */
  readonly fireTime: number;
  readonly reason: CutShortReason;
}

/** The last run of an item. `isHeld`: a mark names its holder, or the item waits for failover. */
export interface LastRun {
  readonly item: number;
  readonly stored: StoredRecord;
  readonly isHeld: boolean;
}

/** A run that a crash has cut short and that nobody repeats. */
interface CutShortRun {
  readonly item: number;
  readonly run: RunRecord;
  readonly reason: CutShortReason;
}

/**
 * Finds runs of lost instances that nobody repeats, by fire time, in the order of their items.
 * @param runs in ascending order of their items
 * @returns `isAwaited`: such an instance still holds an item, whose mark goes with its session or with a sweep
 */
export function findCutShort(
  runs: readonly LastRun[],
  isLost: (instanceId: string) => boolean,
  { isFailoverOn, shardingTotalCount }: { readonly isFailoverOn: boolean; readonly shardingTotalCount: number },
): { readonly found: readonly CutShortRuns[]; readonly isAwaited: boolean } {
  const found: CutShortRun[] = [];
  let isAwaited = false;
  for (const { item, stored, isHeld } of runs) {
    if (stored.kind !== 'record' || stored.record.settled !== undefined || isLeftToAdopt(stored)) continue;
    const isBeyond = item >= shardingTotalCount;
    if (!isLost(stored.record.by) || (isFailoverOn && !isBeyond)) continue;
    isAwaited ||= isHeld;
    const reason = stopOf(stored.record) ?? (isBeyond ? 'beyond-total' : 'failover-off');
    // The owner of the item begins it again.
    if (reason === 'failover-off' && rerunIdOf(stored.record.target.origin) !== undefined) continue;
    if (!isHeld) found.push({ item, run: stored.record, reason });
  }
  return { found: byFireTime(found), isAwaited };
}

/** Joins runs of one fire time that have the same reason. @param runs in ascending order of their items */
export function byFireTime(runs: readonly CutShortRun[]): readonly CutShortRuns[] {
  const joined = new Map<string, CutShortRuns & { readonly items: number[] }>();
  for (const { item, reason, run } of runs) {
    const { fireTime } = run.target;
    const same = joined.get(`${reason} ${fireTime}`) ?? { items: [], fireTime, reason };
    same.items.push(item);
    joined.set(`${reason} ${fireTime}`, same);
  }
  return [...joined.values()];
}
