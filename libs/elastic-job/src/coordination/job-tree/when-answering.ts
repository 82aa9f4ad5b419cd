import type { Clock } from '../../clock/index.js';
import { RegistryUnavailableError } from '../../registry/index.js';
import type { JobTree } from './job-tree.js';

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Syncs as soon as the registry answers again.
 * @param signal bounds the wait; the tree's own aborts when the session is over
 * @throws the signal's reason
 */
export async function syncWhenAnswering(tree: JobTree, clock: Clock, signal = tree.signal): Promise<void> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await tree.sync({ signal });
    } catch (error) {
      if (!(error instanceof RegistryUnavailableError)) throw error;
      await clock.sleep(pauseMs, signal);
    }
  }
}

/**
 * Reads values as soon as the registry answers again: what a write whose reply was lost has led to.
 * @throws the reason for which the tree was closed
 */
export function readWhenAnswering(tree: JobTree, clock: Clock, paths: readonly string[]): Promise<void> {
  const options = { signal: tree.signal };
  return untilAnswered(tree, clock, async () => {
    do await tree.sync(options);
    while (!(await tree.load(paths, options)));
  });
}

/**
 * Does the work; if the registry does not answer, does it again from its beginning as soon as it answers. For work that
 * looks before it writes: what was written although the reply was lost is found done.
 * @param signal bounds the wait; the tree's own aborts when the session is over
 * @throws what else the work throws, or the signal's reason
 */
export async function untilAnswered<T>(
  tree: JobTree,
  clock: Clock,
  work: () => Promise<T>,
  signal = tree.signal,
): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof RegistryUnavailableError)) throw error;
      await syncWhenAnswering(tree, clock, signal);
    }
  }
}
