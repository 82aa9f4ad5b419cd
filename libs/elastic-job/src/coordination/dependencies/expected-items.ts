import { type ItemSet, itemSetOf, type JobConfiguration } from '../../domain/index.js';
import type { JobTree } from '../job-tree/index.js';

/**
 * Items that this instance expects to run: the enabled ones below the total. Undefined if no job needs a count of them.
 */
export function expectedItems(
  tree: JobTree,
  { shardingTotalCount }: Pick<JobConfiguration, 'shardingTotalCount'>,
): ItemSet | undefined {
  if (tree.dependents().length === 0) return undefined;
  const all = Array.from({ length: shardingTotalCount }, (_, item) => item);
  return itemSetOf(all.filter((item) => !tree.isDisabled(item)));
}
