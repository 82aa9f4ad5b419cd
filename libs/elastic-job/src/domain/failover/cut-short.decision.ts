import { isLeftToAdopt, type StoredRecord } from '../run/index.js';

/**
 * Why nobody repeats a run that a crash has cut short: `failover-off`: the job has no failover; `beyond-total`: the
 * total is smaller now, so there is no such item any more.
 */
export type CutShortReason = 'failover-off' | 'beyond-total';

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
  const found = new Map<string, CutShortRuns & { readonly items: number[] }>();
  let isAwaited = false;
  for (const { item, stored, isHeld } of runs) {
    if (stored.kind !== 'record' || stored.record.settled !== undefined || isLeftToAdopt(stored)) continue;
    const isBeyond = item >= shardingTotalCount;
    if (!isLost(stored.record.by) || (isFailoverOn && !isBeyond)) continue;
    isAwaited ||= isHeld;
    if (isHeld) continue;
    const reason = isBeyond ? 'beyond-total' : 'failover-off';
    const { fireTime } = stored.record.target;
    const same = found.get(`${reason} ${fireTime}`) ?? { items: [], fireTime, reason };
    same.items.push(item);
    found.set(`${reason} ${fireTime}`, same);
  }
  return { found: [...found.values()], isAwaited };
}
