import { isLeftToAdopt, type RunRecord, type StoredRecord } from '../run/index.js';

/** The marks below an item that name the instance which left them. */
export const HOLDER_MARKS = ['running', 'failovering', 'failover'] as const satisfies readonly HolderMark[];
export type HolderMark = 'running' | 'failovering' | 'failover';

/** The marks of one item, each with the id of the instance that left it. */
export interface ItemMarks {
  readonly item: number;
  readonly stored: StoredRecord;
  readonly holders: ReadonlyMap<HolderMark, string>;
}

/** An item whose holder is gone. `mustRepeat`: its run never ended, so it has to run again. */
export interface OrphanedItem {
  readonly item: number;
  /** The marks of holders that are gone. */
  readonly stale: readonly HolderMark[];
  /** The run that has lost its holder, if the item's record is of it. */
  readonly run: RunRecord | undefined;
  readonly mustRepeat: boolean;
}

/**
 * The holders that have left no record of their runs that can be read: Java peers. Theirs is the mark, not the record,
 * by which an item is known to have run.
 */
export function unrecordedHolders({ stored, holders }: ItemMarks): string[] {
  const recorded = stored.kind === 'record' ? stored.record.by : undefined;
  return [...holders.values()].filter((holder) => holder !== recorded);
}

/**
 * Names the items whose marks belong to nobody: an instance id is unique per session, so a holder that is not
 * registered never comes back. Judged by the mark's holder, never by the item's owner, who may have changed since. What
 * a living instance runs or has taken is left alone: to sweep an item writes its node, which would fence that run, and
 * the item would be queued while somebody is about to run it.
 */
export function findOrphanedItems(
  marks: Iterable<ItemMarks>,
  isAlive: (instanceId: string) => boolean,
): OrphanedItem[] {
  const orphans: OrphanedItem[] = [];
  for (const { item, holders, stored } of marks) {
    const stale = [...holders].filter(([, holder]) => !isAlive(holder)).map(([mark]) => mark);
    const isHeld = (mark: HolderMark) => holders.has(mark) && !stale.includes(mark);
    if (stale.length === 0 || isHeld('running') || isHeld('failover')) continue;
    const recorded = stored.kind === 'record' ? stored.record : undefined;
    const run = stale.every((mark) => holders.get(mark) === recorded?.by) ? recorded : undefined;
    orphans.push({ item, stale, run, mustRepeat: run?.settled === undefined });
  }
  return orphans;
}

/** Where an orphan goes: into the queue, past it because that is full, or nowhere because nothing is to be repeated. */
export type OrphanPlace = 'queue' | 'overflow' | 'none';

export interface PlacedOrphan extends OrphanedItem {
  readonly place: OrphanPlace;
}

/** The queue as it stands, and what it may hold. */
export interface FailoverRoom {
  readonly isFailoverOn: boolean;
  readonly queued: ReadonlySet<number>;
  readonly failoverQueueLimit: number;
  readonly shardingTotalCount: number;
}

/**
 * Fills the queue in ascending order. What is queued is not queued again, and what is beyond the total is not repeated.
 */
export function placeOrphans(orphans: readonly OrphanedItem[], room: FailoverRoom): PlacedOrphan[] {
  let free = room.failoverQueueLimit - room.queued.size;
  return orphans.map((orphan) => {
    const { item, mustRepeat, run } = orphan;
    const isAdoptable = run !== undefined && isLeftToAdopt({ kind: 'record', record: run });
    const isWanted = (room.isFailoverOn || isAdoptable) && mustRepeat && item < room.shardingTotalCount;
    if (!isWanted || room.queued.has(item)) return { ...orphan, place: 'none' };
    if (isAdoptable) return { ...orphan, place: 'queue' };
    free -= 1;
    return { ...orphan, place: free < 0 ? 'overflow' : 'queue' };
  });
}
