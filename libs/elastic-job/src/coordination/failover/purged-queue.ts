import { droppedRunRecord } from '../../domain/index.js';
import type { Operation } from '../../registry/index.js';
import { repeat } from '../../repeat/index.js';
import { type Authority, type JobTree, untilCommitted } from '../job-tree/index.js';
import type { LeadershipTerm } from '../leadership/index.js';

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
      return tree.servers().flatMap((serverIp) => {
        const path = tree.paths.server(serverIp);
        const stat = tree.stat(path);
        return stat === undefined ? [] : [{ kind: 'check', path, version: stat.version } as const];
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
  const data = tree.recordText(droppedRunRecord(stored.record, at, 'purged'));
  return [entry, { kind: 'set', path: paths.record(item), data, version }];
}

/**
 * Removes leftovers of failover when it is switched off: queue entries, which will not be claimed any more, and marks
 * of items that were taken and do not run. A running failover keeps its marks and removes them at its end. Items whose
 * tasks wait for adoption stay queued.
 * @param isRetired asked again after a refusal, as failover may have been switched on again
 * @returns the items that waited, ascending
 * @see ElasticJob, `FailoverListenerManager.FailoverSettingsChangedJobListener`, which removes `failover` nodes alone
 */
export async function removeRetiredFailover(
  tree: JobTree,
  term: LeadershipTerm,
  isRetired: () => boolean,
): Promise<readonly number[]> {
  const { signal } = term;
  return repeat(
    untilCommitted(tree, 'removing what failover left behind', signal),
    async (): Promise<readonly number[] | undefined> => {
      if (!isRetired()) return [];
      // Read together with the state that is decided on: if failover is switched on again, later entries must stay.
      const guard = [...term.guard, ...tree.configAsRead()];
      const taken = tree.items().filter((item) => !tree.isRunning(item) && takenMarks(tree, item).length > 0);
      if (taken.length === 0 && tree.queue().length === 0) return [];
      if (!(await tree.loadRecords([...taken, ...tree.queue()], { signal }))) return undefined;
      const retired = tree.queue().filter((item) => !tree.isToBeAdopted(item));
      if (taken.length === 0 && retired.length === 0) return [];
      const operations = [
        ...guard,
        ...retired.map((item): Operation => ({ kind: 'delete', path: tree.paths.queued(item) })),
        ...taken.flatMap((item) => releaseOperations(tree, item)),
      ];
      const result = await tree.commit(operations, { signal });
      return result.kind === 'committed' ? retired : undefined;
    },
  );
}

// Every begin writes the item's record, so a begin that was not seen makes the removal fail.
function releaseOperations(tree: JobTree, item: number): Operation[] {
  return [tree.recordAsRead(item), ...takenMarks(tree, item).map((path): Operation => ({ kind: 'delete', path }))];
}

function takenMarks(tree: JobTree, item: number): string[] {
  const { paths } = tree;
  return [paths.mark(item, 'failover'), paths.mark(item, 'failovering')].filter((path) => tree.has(path));
}
