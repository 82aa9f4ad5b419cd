import { parseCancelRequest } from '../../domain/index.js';
import type { Operation } from '../../registry/index.js';
import { type JobTree, untilCommitted } from '../job-tree/index.js';
import type { LeadershipTerm } from '../leadership/index.js';
import { repeat } from '../../repeat/index.js';

/** Removes requests to cancel runs that are already over. They name their run, so they cannot abort another one. */
export async function removeStaleCancels(
  tree: JobTree,
  { guard, signal }: Pick<LeadershipTerm, 'guard' | 'signal'>,
): Promise<void> {
  if (tree.cancels().length === 0) return;
  await repeat(untilCommitted(tree, 'removing requests to cancel', signal), async () => {
    const cancels = tree.cancels();
    if (
      !(await tree.load(
        cancels.flatMap((item) => [tree.paths.cancel(item), tree.paths.record(item)]),
        { signal },
      ))
    ) {
      return undefined;
    }
    const operations = cancels.filter((item) => isOver(tree, item)).map((item) => removal(tree, item));
    if (operations.length === 0) return true;
    const result = await tree.commit([...guard, ...operations], { signal });
    return result.kind === 'committed' || undefined;
  });
}

function isOver(tree: JobTree, item: number): boolean {
  const stored = tree.record(item)?.stored;
  if (stored?.kind !== 'record' || !tree.isRunning(item)) return true;
  const { run } = parseCancelRequest(tree.node(tree.paths.cancel(item))?.data ?? '');
  return stored.record.settled !== undefined || stored.record.run !== run;
}

// Checks the version, as a newer request may have replaced the one that was read.
function removal(tree: JobTree, item: number): Operation {
  const path = tree.paths.cancel(item);
  return { kind: 'delete', path, version: tree.stat(path)?.version };
}
