import { isLeftToAdopt, type RunRecord, stopOf, type StoredRecord } from '../run/index.js';

/** Marks below an item that name the instance which wrote them. */
export const HOLDER_MARKS = ['running', 'failovering', 'failover'] as const satisfies readonly HolderMark[];
/** Marks below an item that name an instance: the one that runs it, repeats it, or has claimed it for that. */
export type HolderMark = 'running' | 'failovering' | 'failover';

/** Marks of one item, each with the id of the instance that wrote it. */
export interface ItemMarks {
  readonly item: number;
  readonly stored: StoredRecord;
  readonly holders: ReadonlyMap<HolderMark, string>;
}

/** An item whose holder is gone. `mustRepeat`: its run has not ended, so it must run again. */
export interface OrphanedItem {
  readonly item: number;
  /** The marks of holders that are gone. */
  readonly stale: readonly HolderMark[];
  /** The run that has lost its holder, if the record of the item shows it. */
  readonly run: RunRecord | undefined;
  readonly mustRepeat: boolean;
}

/** Holders whose runs are in no readable record: Java peers. Their mark alone shows that the item was run. */
export function unrecordedHolders({ stored, holders }: ItemMarks): string[] {
  const recorded = stored.kind === 'record' ? stored.record.by : undefined;
  return [...holders.values()].filter((holder) => holder !== recorded);
}

/**
 * Finds the items whose marks name a holder that is gone. An instance id is unique per session, so a holder that is not
 * registered never comes back. The holder of the mark decides, never the owner of the item, which may have changed
 * since.
 *
 * Marks of living instances must stay alone: a sweep writes the item's node, which would fence their run and queue an
 * item that is about to run.
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

/**
 * Destination of an orphan: `queue`, `overflow` if the queue is full, `stopped` if its run was told to stop for good,
 * or `none` if its run must not be repeated for another reason.
 */
export type OrphanPlace = 'queue' | 'overflow' | 'stopped' | 'none';

export interface PlacedOrphan extends OrphanedItem {
  readonly place: OrphanPlace;
}

/** Entries of the queue, and its limit. */
export interface FailoverRoom {
  readonly isFailoverOn: boolean;
  readonly queued: ReadonlySet<number>;
  readonly failoverQueueLimit: number;
  readonly shardingTotalCount: number;
}

/**
 * Fills the queue in ascending order. Queued items are not queued again, and items beyond the total are not repeated.
 */
export function placeOrphans(orphans: readonly OrphanedItem[], room: FailoverRoom): PlacedOrphan[] {
  let free = room.failoverQueueLimit - room.queued.size;
  return orphans.map((orphan) => {
    const { item, mustRepeat, run } = orphan;
    const isAdoptable = run !== undefined && isLeftToAdopt({ kind: 'record', record: run });
    if (!isAdoptable && run !== undefined && stopOf(run) !== undefined) return { ...orphan, place: 'stopped' };
    const isWanted = (room.isFailoverOn || isAdoptable) && mustRepeat && item < room.shardingTotalCount;
    if (!isWanted || room.queued.has(item)) return { ...orphan, place: 'none' };
    if (isAdoptable) return { ...orphan, place: 'queue' };
    free -= 1;
    return { ...orphan, place: free < 0 ? 'overflow' : 'queue' };
  });
}
