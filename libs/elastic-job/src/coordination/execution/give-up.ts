import { owesAfter } from '../../domain/index.js';
import type { Operation } from '../../registry/index.js';
import { type JobTree, untilCommitted } from '../job-tree/index.js';
import { repeat } from '../../repeat/index.js';

/**
 * Gives up fire times of items in their records, in one transaction: no instance begins one up to the given one any
 * more. Items that run, wait for failover, are already further or have no record stay unchanged.
 * @param upTo last fire time to give up by item, in milliseconds since the epoch
 * @returns the instant after which each item owed fire times; unchanged items are absent
 */
export function giveUpFireTimes(
  tree: JobTree,
  upTo: ReadonlyMap<number, number>,
): Promise<ReadonlyMap<number, number>> {
  const { signal } = tree;
  return repeat(untilCommitted(tree, 'giving up fire times'), async () => {
    if (!(await tree.loadRecords([...upTo.keys()], { signal }))) return undefined;
    const former = new Map<number, number>();
    const operations: Operation[] = [];
    for (const [item, fireTime] of upTo) {
      const last = lastBefore(tree, item, fireTime);
      if (last === undefined) continue;
      former.set(item, last);
      operations.push(giveUp(tree, item, fireTime));
    }
    if (operations.length === 0) return former;
    const result = await tree.commit(operations, { signal });
    return result.kind === 'committed' ? former : undefined;
  });
}

/** Instant after which the item owed fire times; undefined if there is nothing to give up. */
function lastBefore(tree: JobTree, item: number, fireTime: number): number | undefined {
  if (tree.isRunning(item) || tree.has(tree.paths.queued(item))) return undefined;
  const { stored, ahead = [] } = tree.record(item) ?? {};
  // A clock ran ahead; the begin that discovers it reports it.
  if (ahead.length > 0) return undefined;
  const last = stored?.kind === 'record' ? owesAfter(stored) : undefined;
  return last !== undefined && last < fireTime ? last : undefined;
}

// Writes against the version that was read, so that a begin since then is not overwritten.
function giveUp(tree: JobTree, item: number, lastScheduled: number): Operation {
  const { stored, version } = tree.record(item)!;
  if (stored.kind !== 'record') throw new TypeError(`Item ${item} has no record to give anything up in.`);
  const { owesAfter: _owesAfter, ...record } = stored.record;
  const data = tree.recordText({ ...record, lastScheduled });
  return { kind: 'set', path: tree.paths.record(item), data, version };
}
