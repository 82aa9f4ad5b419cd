import { droppedRunRecord } from '../../domain/index.js';
import type { Operation } from '../../registry/index.js';
import { type JobTree, untilCommitted } from '../job-tree/index.js';
import type { Sweeper } from './orphan-sweep.js';

/**
 * An operator has disabled the job: all servers that it has, those included that have no instance at the moment, such
 * as one that is being restarted.
 */
export function isJobDisabled(tree: JobTree): boolean {
  return tree.servers().every((serverIp) => tree.serverStatus(serverIp) === 'DISABLED');
}

/** For a job that is disabled: its servers must still be so. Nobody may lead it then, so anybody may purge. */
export function disabledJob(tree: JobTree): Sweeper {
  return {
    signal: tree.signal,
    get guard() {
      return tree.servers().flatMap((serverIp) => {
        const path = tree.paths.server(serverIp);
        const stat = tree.stat(path);
        return stat === undefined ? [] : [{ kind: 'check', path, version: stat.version } as const];
      });
    },
  };
}

/**
 * Removes entries for which nobody may come, and records that their runs were aborted. One transaction, none if there
 * is nothing to remove.
 * @param purger on what the removal depends; read anew after a refusal
 * @param at milliseconds since the epoch: when the runs are told to have ended
 * @param isPurged which items; asked anew after a refusal
 * @returns the items that were removed, ascending
 * @see ElasticJob-Cloud, which drops the entries of disabled and removed jobs; Lite leaves them for ever
 */
export async function purgeQueue(
  tree: JobTree,
  purger: Sweeper,
  at: number,
  isPurged: (item: number) => boolean,
): Promise<readonly number[]> {
  const { signal } = purger;
  const attempt = async (): Promise<readonly number[] | undefined> => {
    const { guard } = purger; // As old as what is decided now: a server may be enabled while records are read.
    const items = tree.queue().filter(isPurged);
    if (items.length === 0) return items;
    if (!(await tree.loadRecords(items, { signal }))) return undefined;
    const operations = items.flatMap((item) => removalOperations(tree, item, at));
    const result = await tree.commit([...guard, ...operations], { signal });
    return result.kind === 'committed' ? items : undefined;
  };
  return untilCommitted(tree, 'the purge of the failover queue', attempt, signal);
}

// Beside Java an unsettled record says nothing; and what runs in spite of its entry must not be fenced.
function removalOperations(tree: JobTree, item: number, at: number): Operation[] {
  const { paths } = tree;
  const entry: Operation = { kind: 'delete', path: paths.queued(item) };
  const { stored, version } = tree.record(item) ?? {};
  if (stored?.kind !== 'record' || tree.company.endsByMark || tree.isRunning(item)) return [entry];
  const data = tree.recordText(droppedRunRecord(stored.record, at, 'purged'));
  return [entry, { kind: 'set', path: paths.record(item), data, version }];
}
