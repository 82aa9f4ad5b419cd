import type { Operation } from '../../registry/index.js';
import { type JobTree, untilCommitted } from '../job-tree/index.js';
import type { LeadershipTerm } from '../leadership/index.js';

/**
 * Removes what failover leaves behind when it is switched off: the queue, for which nobody comes any more, and the
 * marks of items that were taken and do not run. A running failover keeps its marks and removes them as it ends.
 * @see ElasticJob, `FailoverListenerManager.FailoverSettingsChangedJobListener`, which removes `failover` nodes alone
 */
export async function removeRetiredFailover(tree: JobTree, term: LeadershipTerm): Promise<void> {
  const { signal } = term;
  await untilCommitted(
    tree,
    'removing what failover left behind',
    async () => {
      const taken = tree.items().filter((item) => !tree.isRunning(item) && takenMarks(tree, item).length > 0);
      if (taken.length === 0 && tree.queue().length === 0) return true;
      if (!(await tree.loadRecords(taken, { signal }))) return undefined;
      const operations = [
        ...term.guard,
        ...configGuard(tree),
        ...tree.queue().map((item): Operation => ({ kind: 'delete', path: tree.paths.queued(item) })),
        ...taken.flatMap((item) => removalOperations(tree, item)),
      ];
      const result = await tree.commit(operations, { signal });
      return result.kind === 'committed' || undefined;
    },
    signal,
  );
}

// Somebody may be switching failover on again.
function configGuard(tree: JobTree): Operation[] {
  const stat = tree.stat(tree.paths.config);
  return stat === undefined ? [] : [{ kind: 'check', path: tree.paths.config, version: stat.version }];
}

// Every begin writes the item's record: one that was not seen refuses the removal.
function removalOperations(tree: JobTree, item: number): Operation[] {
  return [tree.recordAsRead(item), ...takenMarks(tree, item).map((path): Operation => ({ kind: 'delete', path }))];
}

function takenMarks(tree: JobTree, item: number): string[] {
  const { paths } = tree;
  return [paths.mark(item, 'failover'), paths.mark(item, 'failovering')].filter((path) => tree.has(path));
}
