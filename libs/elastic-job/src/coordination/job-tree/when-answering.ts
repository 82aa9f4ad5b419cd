import type { Clock } from '../../clock/index.js';
import { isRefusal, isUnanswered, RegistryUnavailableError, retry } from '../../registry/index.js';
import type { JobTree } from './job-tree.js';
import { ContentionError } from './until-committed.js';

/** Reads values as they are now. @throws what keeps it from reading, or the reason for which the tree was closed */
export async function readNow(tree: JobTree, paths: readonly string[]): Promise<void> {
  const options = { signal: tree.signal };
  do await tree.sync(options);
  while (!(await tree.load(paths, options)));
}

/**
 * Reads values as soon as the registry answers again: what a write whose reply was lost has led to.
 * @throws the reason for which the tree was closed
 */
export function readWhenAnswering(tree: JobTree, clock: Clock, paths: readonly string[]): Promise<void> {
  return untilDone(tree, clock, () => readNow(tree, paths));
}

/**
 * Does the work; if the registry does not answer, does it again from its beginning as soon as it answers. For work that
 * looks before it writes: what was written although the reply was lost is found done.
 * @param signal bounds the wait; the tree's own aborts when the session is over
 * @throws what else the work throws, such as a refusal, or the signal's reason
 */
export function untilAnswered<T>(
  tree: JobTree,
  clock: Clock,
  work: () => Promise<T>,
  signal = tree.signal,
): Promise<T> {
  return retry(tree.registry, clock, afterSync(tree, work, signal), { signal });
}

/**
 * As `untilAnswered`, and if the registry answers and refuses, or refuses a write again and again, does the work again
 * after a back-off: for what has to be done as long as the session lasts. The tree knows of the refusal meanwhile.
 * @param onRefused hears of the first of the refusals in a row
 */
export async function untilDone<T>(
  tree: JobTree,
  clock: Clock,
  work: () => Promise<T>,
  onRefused: (error: unknown) => void = () => {},
  signal = tree.signal,
): Promise<T> {
  const refused = tree.refusals.watch();
  const onFailure = (error: unknown) => {
    const isAnswered = !(error instanceof RegistryUnavailableError);
    if (isAnswered && refused.note(error, clock.wallNow())) onRefused(error);
  };
  const isRepeated = (error: unknown) => isUnanswered(error) || isRefusal(error) || error instanceof ContentionError;
  try {
    return await retry(tree.registry, clock, afterSync(tree, work, signal), { signal, isRepeated, onFailure });
  } finally {
    refused.end();
  }
}

/** What others have done meanwhile is known before the work is done again. */
function afterSync<T>(tree: JobTree, work: () => Promise<T>, signal: AbortSignal): (attempt: number) => Promise<T> {
  return async (attempt) => {
    if (attempt > 1) await tree.sync({ signal });
    return work();
  };
}
