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
  readonly isOwed: boolean;
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
  for (const { item, stored, holders } of marks) {
    const stale = [...holders].filter(([, holder]) => !isAlive(holder)).map(([mark]) => mark);
    const isRun = holders.has('running') && !stale.includes('running');
    if (stale.length > 0 && !isRun) orphans.push({ item, stale, isOwed: isUnfinished(stored) });
  }
  return orphans;
}

function isUnfinished(stored: StoredRecord): boolean {
  return stored.kind === 'record' && stored.record.settled === undefined;
}
