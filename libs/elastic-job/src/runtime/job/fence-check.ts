import { inOwnContext } from '../../async-context/index.js';
import { type Clock, Deadline } from '../../clock/index.js';
import type { JobTree } from '../../coordination/index.js';
import { ConfigurationError, type FencedStore } from '../../domain/index.js';

/**
 * Refuses to run a job whose guarded stores have seen tokens above those of the registry. Makes no request if there are
 * no stores.
 * @throws {FenceAheadError}
 * @throws {ConfigurationError} if a store has not answered within the limit
 */
export async function assertFencesNotAhead(
  { jobName, paths, registry, signal }: JobTree,
  fences: readonly FencedStore[],
  tokenEpoch: number,
  { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
): Promise<void> {
  if (fences.length === 0) return;
  await registry.ensurePath(paths.systemTime, { signal });
  const { mzxid: token } = await registry.set(paths.systemTime, '', undefined, { signal });
  const checks = fences.map((fence) => inOwnContext(() => fence.assertNotAhead(jobName, { tokenEpoch, token })));
  await Deadline.after(clock, timeoutMs).bounds(Promise.all(checks), () => {
    throw new ConfigurationError(`job "${jobName}"`, [`fences: a store has not answered within ${timeoutMs} ms`]);
  });
}
