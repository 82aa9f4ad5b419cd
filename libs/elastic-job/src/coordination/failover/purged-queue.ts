import { droppedRunRecord } from '../../domain/index.js';
import type { Operation } from '../../registry/index.js';
import { repeat } from '../../repeat/index.js';
import { loadProgress, progressOperations } from '../execution/index.js';
import { type Authority, type JobTree, untilCommitted } from '../job-tree/index.js';

/**
 * True if an operator has disabled the job: all its servers, including those without an instance at the moment, such as
 * one that is being restarted.
 */
export function isJobDisabled(tree: JobTree): boolean {
  return tree.servers().every((serverIp) => tree.serverStatus(serverIp) === 'DISABLED');
}

/**
 * Guard for a disabled job: its servers must still be disabled. As no instance may lead it then, any instance may
 * purge.
 */
export function disabledJob(tree: JobTree): Authority {
  return {
    signal: tree.signal,
    get guard() {
      return tree.servers().map((serverIp) => {
        const path = tree.paths.server(serverIp);
        return { kind: 'check', path, version: tree.stat(path)?.version } as const;
      });
    },
  };
}

/**
 * Removes entries that must not be claimed, and records their runs as aborted. One transaction, or none if there is
 * nothing to remove.
 * @param authority conditions of the removal; read again after a refusal
 * @param at end of the runs in their records, in milliseconds since the epoch
 * @param isPurged selects the items; asked again after a refusal
 * @returns the removed items, ascending
 * @see ElasticJob-Cloud, which drops the entries of disabled and removed jobs; Lite leaves them for ever
 */
export async function purgeQueue(
  tree: JobTree,
  authority: Authority,
  at: number,
  isPurged: (item: number) => boolean,
): Promise<readonly number[]> {
  const { signal } = authority;
  const attempt = async (): Promise<readonly number[] | undefined> => {
    // Read together with the queue, since a server may be enabled, or the total grow, while records are read.
    const guard = [...authority.guard, ...tree.configAsRead()];
    const items = tree.queue().filter(isPurged);
    if (items.length === 0) return items;
    if (!(await tree.loadRecords(items, { signal }))) return undefined;
    const records = items.map((item) => tree.paths.record(item));
    if (!(await loadProgress(tree, items, records, { signal }))) return undefined;
    const operations = items.flatMap((item) => removalOperations(tree, item, at));
    const result = await tree.commit([...guard, ...operations], { signal });
    return result.kind === 'committed' ? items : undefined;
  };
  return repeat(untilCommitted(tree, 'the purge of the failover queue', signal), attempt);
}

// Settles the record together with the removal, except beside Java, where an unsettled record proves nothing, and for
// an item that runs in spite of its entry, which must not be fenced.
function removalOperations(tree: JobTree, item: number, at: number): Operation[] {
  const { paths } = tree;
  const entry: Operation = { kind: 'delete', path: paths.queued(item) };
  const { stored, version } = tree.record(item) ?? {};
  if (stored?.kind !== 'record' || tree.company.endsByMark || tree.isRunning(item)) return [entry];
  const dropped = droppedRunRecord(stored.record, at, 'purged');
  const settle: Operation = { kind: 'set', path: paths.record(item), data: tree.recordText(dropped), version };
  return [entry, settle, ...progressOperations(tree, item, dropped)];
}
