import { inOwnContext } from '../../async-context/index.js';
import type { JobTree } from '../../coordination/index.js';
import type { FencedStore } from '../../domain/index.js';

/**
 * Refuses to run a job whose guarded stores have seen tokens above those of the registry. Makes no request if there are
 * no stores.
 * @throws {FenceAheadError}
 */
export async function assertFencesNotAhead(
  { jobName, paths, registry, signal }: JobTree,
  fences: readonly FencedStore[],
  tokenEpoch: number,
): Promise<void> {
  if (fences.length === 0) return;
  await registry.ensurePath(paths.systemTime, { signal });
  const { mzxid: token } = await registry.set(paths.systemTime, '', undefined, { signal });
  await Promise.all(fences.map((fence) => inOwnContext(() => fence.assertNotAhead(jobName, { tokenEpoch, token }))));
}
