import type { Operation } from '../../registry/index.js';
import { repeat } from '../../repeat/index.js';
import { type JobTree, untilCommitted } from '../job-tree/index.js';
import type { LeadershipTerm } from '../leadership/index.js';

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
