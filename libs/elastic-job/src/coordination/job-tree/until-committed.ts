import { BackOff } from '../../clock/index.js';
import { ElasticJobError, type JobName } from '../../domain/index.js';
import type { Operation, RegistryCenter } from '../../registry/index.js';
import type { JobTree } from './job-tree.js';

const MOST_ROUNDS = 50;
/** Refusals in a row that are normal races. Further ones are followed by pauses, in milliseconds. */
const QUICK_ROUNDS = 4;
const PAUSES = { firstMs: 10, longestMs: 1_000 };

/**
 * A write was refused repeatedly although the tree was read again each time.
 * @remarks Look for a client that rewrites the job's nodes all the time, and stop it. Then repeat the call.
 */
export class ContentionError extends ElasticJobError {
  readonly code = 'CONTENTION';

  constructor(
    readonly jobName: JobName,
    readonly work: string,
  ) {
    super(
      `Job "${jobName}": ${work} was refused ${MOST_ROUNDS} times; find out which client keeps rewriting its nodes.`,
    );
  }
}

/**
 * Reads, decides and writes; repeats all of it if the write is refused because of a change in between. A refused change
 * was seen by this client's server, so the next read shows it.
 * @param attempt returns undefined if its write was refused
 * @param work the work, as the error names it
 * @param beforeNext called between two attempts
 * @throws {ContentionError}
 */
export async function untilAccepted<T>(
  jobName: JobName,
  work: string,
  attempt: () => Promise<T | undefined>,
  beforeNext?: (round: number) => Promise<void>,
): Promise<T> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    if (round > 0) await beforeNext?.(round);
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw new ContentionError(jobName, work);
}

/**
 * `untilAccepted` for a job's tree, which is synced between two attempts. Every refusal means that another client was
 * faster, so a few rounds are enough. If not, a client keeps rewriting the nodes, and the pauses in between grow.
 * @param attempt reads the tree as of the last sync
 * @throws {ContentionError} @throws the signal's reason
 */
export function untilCommitted<T>(
  tree: JobTree,
  work: string,
  attempt: () => Promise<T | undefined>,
  signal: AbortSignal = tree.signal,
): Promise<T> {
  const backOff = new BackOff(tree.clock, PAUSES);
  return untilAccepted(tree.jobName, work, attempt, async (round) => {
    signal.throwIfAborted();
    if (round > QUICK_ROUNDS) {
      backOff.failed();
      await backOff.pause(signal);
    }
    await tree.sync({ signal });
  });
}

/** Commits the operations, if there are any. @returns false if they were refused and nothing was applied */
export async function isCommitted(registry: RegistryCenter, operations: readonly Operation[]): Promise<boolean> {
  if (operations.length === 0) return true;
  return (await registry.transaction(operations)).kind === 'committed';
}
