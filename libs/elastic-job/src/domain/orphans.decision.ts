import type { StoredRecord } from './run-record.js';

/** The marks below an item that name the instance which left them. */
export type HolderMark = 'running' | 'failovering' | 'failover';

/** The marks of one item, each with the id of the instance that left it. */
export interface ItemMarks {
  readonly item: number;
  readonly stored: StoredRecord;
  readonly holders: ReadonlyMap<HolderMark, string>;
}

/** An item whose holder is gone. `isOwed`: its run never ended, so it has to run again. */
export interface OrphanedItem {
  readonly item: number;
  /** The marks of holders that are gone. */
  readonly stale: readonly HolderMark[];
  /** The item's record is of the run that has lost its holder. */
  readonly isRecorded: boolean;
  readonly isOwed: boolean;
}

/**
 * The holders that have left no record of their runs: Java peers. Theirs is the mark, not the record, by which an item is
 * known to have run.
 */
export function unrecordedHolders({ stored, holders }: ItemMarks): string[] {
  if (stored.kind === 'foreign') return [];
  const recorded = stored.kind === 'record' ? stored.record.by : undefined;
  return [...holders.values()].filter((holder) => holder !== recorded);
}

/**
 * Names the items whose marks belong to nobody: an instance id is unique per session, so a holder that is not
 * registered never comes back. Judged by the mark's holder, never by the item's owner, who may have changed since. What a
 * living instance runs is left alone: to sweep an item writes its node, which would fence that run.
 */
export function findOrphanedItems(
  marks: Iterable<ItemMarks>,
  isAlive: (instanceId: string) => boolean,
): OrphanedItem[] {
  const orphans: OrphanedItem[] = [];
  for (const itemMarks of marks) {
    const { item, holders } = itemMarks;
    const stale = [...holders].filter(([, holder]) => !isAlive(holder)).map(([mark]) => mark);
    const unrecorded = unrecordedHolders(itemMarks);
    const isRun = holders.has('running') && !stale.includes('running');
    if (stale.length === 0 || isRun) continue;
    const isRecorded = stale.every((mark) => !unrecorded.includes(holders.get(mark)!));
    orphans.push({ item, stale, isRecorded, isOwed: !isRecorded || isUnfinished(itemMarks.stored) });
  }
  return orphans;
}

function isUnfinished(stored: StoredRecord): boolean {
  return stored.kind === 'record' && stored.record.settled === undefined;
}
