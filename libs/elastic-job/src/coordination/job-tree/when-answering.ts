import type { Clock } from '../../clock/index.js';
import { isRefusal, isUnanswered, RegistryUnavailableError, retry } from '../../registry/index.js';
import type { JobTree } from './job-tree.js';
import { ContentionError } from './until-committed.js';

/** Reads the present values. @throws the error that prevents reading, or the reason for which the tree was closed */
export async function readNow(tree: JobTree, paths: readonly string[]): Promise<void> {
  const options = { signal: tree.signal };
  do await tree.sync(options);
  while (!(await tree.load(paths, options)));
}

/**
 * Reads values as soon as the registry answers again, to find the outcome of a write whose reply was lost.
 * @throws the reason for which the tree was closed
 */
export function readWhenAnswering(tree: JobTree, clock: Clock, paths: readonly string[]): Promise<void> {
  return untilDone(tree, clock, () => readNow(tree, paths));
}

/**
 * Does the work, and repeats it from its beginning when the registry answers again after no answer. The work must read
 * before it writes, so that it finds its own write done if only the reply was lost.
 * @param signal bounds the wait; the tree's own aborts when the session is over
 * @throws other errors of the work, such as a refusal, or the signal's reason
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
 * Like `untilAnswered`, but also repeats the work after a back-off if the registry refuses it. For work that must be
 * done as long as the session lasts. The tree shows the refusal meanwhile.
 * @param onRefused hears the first of the refusals in a row
 */
export async function untilDone<T>(
  tree: JobTree,
  clock: Clock,
  work: () => Promise<T>,
  onRefused: (error: unknown) => void = () => {},
  signal = tree.signal,
): Promise<T> {
  const onFailure = (error: unknown) => {
    const isAnswered = !(error instanceof RegistryUnavailableError);
    if (isAnswered && tree.refusals.note(onFailure, 'requests', error, clock.wallNow())) onRefused(error);
  };
  const isRepeated = (error: unknown) => isUnanswered(error) || isRefusal(error) || error instanceof ContentionError;
  try {
    return await retry(tree.registry, clock, afterSync(tree, work, signal), { signal, isRepeated, onFailure });
  } finally {
    tree.refusals.end(onFailure);
  }
}

/** Syncs before each repetition, so that it sees the changes of others. */
function afterSync<T>(tree: JobTree, work: () => Promise<T>, signal: AbortSignal): (attempt: number) => Promise<T> {
  return async (attempt) => {
    if (attempt > 1) await tree.sync({ signal });
    return work();
  };
}
