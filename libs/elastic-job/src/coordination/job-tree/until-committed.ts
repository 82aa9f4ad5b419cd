import { BackOff } from '../../clock/index.js';
import { ElasticJobError, type JobName } from '../../domain/index.js';
import type { JobTree } from './job-tree.js';

const MOST_ROUNDS = 25;
/** So many refusals in a row are others that were faster. After more than that there are pauses, in milliseconds. */
const QUICK_ROUNDS = 4;
const PAUSES = { firstMs: 10, longestMs: 1_000 };

/** A write was refused again and again although the tree was read anew each time. */
export class ContentionError extends ElasticJobError {
  readonly code = 'CONTENTION';

  constructor(
    readonly jobName: JobName,
    readonly work: string,
  ) {
    super(
      `Job "${jobName}": ${work} was refused ${MOST_ROUNDS} times; look for somebody who rewrites the job's nodes.`,
    );
  }
}

/**
 * Looks, decides and writes; if the write is refused because of a change in between, syncs and does it again. Every
 * refusal means that somebody else has got on, so a few rounds are enough. If they are not, somebody rewrites the
 * nodes, and the pauses in between grow.
 * @param attempt returns undefined if its write was refused; reads the tree as of the last sync
 * @param work what is attempted, for the error
 * @throws {ContentionError} @throws the signal's reason
 */
export async function untilCommitted<T>(
  tree: JobTree,
  work: string,
  attempt: () => Promise<T | undefined>,
  signal: AbortSignal = tree.signal,
): Promise<T> {
  const backOff = new BackOff(tree.clock, PAUSES);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    if (round > QUICK_ROUNDS) {
      backOff.failed();
      await backOff.pause(signal);
    }
    if (round > 0) await tree.sync({ signal });
    const result = await attempt();
    if (result !== undefined) return result;
    signal.throwIfAborted();
  }
  throw new ContentionError(tree.jobName, work);
}
