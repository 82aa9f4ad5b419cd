import type { RegistryNode } from '../../registry/index.js';
import { type JobTree, untilCommitted } from '../job-tree/index.js';
import type { LeadershipTerm } from '../leadership/index.js';
import { repeat } from '../../repeat/index.js';

/** Most requests removed at once, because a transaction is limited. */
const MOST_AT_ONCE = 100;

/**
 * Removes operators' requests for runs whose instances are gone and have not taken them. No other instance runs them.
 * @param gone selects the instances that are gone from those that are not registered, which may come back
 * @returns the removed requests, at most 100: call it again until there are none
 */
export async function removeLostRequests(
  tree: JobTree,
  { guard, signal }: Pick<LeadershipTerm, 'guard' | 'signal'>,
  gone: (missing: readonly string[]) => readonly string[],
): Promise<readonly RegistryNode[]> {
  const lost = () => gone(tree.lostRequests()).slice(0, MOST_AT_ONCE);
  if (lost().length === 0) return [];
  const attempt = async (): Promise<readonly RegistryNode[] | undefined> => {
    const paths = lost().map((instanceId) => tree.paths.trigger(instanceId));
    if (!(await tree.load(paths, { signal }))) return undefined;
    const requests = paths.flatMap((path) => tree.node(path) ?? []);
    if (requests.length === 0) return [];
    const removals = paths.flatMap((path) => [...tree.descendants(path), path]);
    const operations = removals.map((path) => ({ kind: 'delete', path }) as const);
    return (await tree.commit([...guard, ...operations], { signal })).kind === 'committed' ? requests : undefined;
  };
  return repeat(untilCommitted(tree, 'removing requests of instances that are gone', signal), attempt);
}
