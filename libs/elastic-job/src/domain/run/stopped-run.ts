import type { JobName } from '../cluster/index.js';
import { CancelledError, JobTimeoutError } from './lease.errors.js';
import type { ShardOutcomeKind } from './shard-outcome.js';

/**
 * Why a run was told to stop for good, so that nobody repeats it: an operator has cancelled it, or it has taken longer
 * than `timeoutMs`.
 */
export type StopCause = 'cancelled' | 'timed-out';

/** A run that was told to stop for good. Its handler has not returned, or its end is not recorded yet. */
export interface StoppedRun {
  /** The run that this is about, since earlier releases carry the field into the records of later runs. */
  readonly run: string;
  readonly cause: StopCause;
}

/** Tells from the reason of an aborted signal if the run is not to be repeated. Undefined: others may repeat it. */
export function stopCauseOf(reason: unknown): StopCause | undefined {
  if (reason instanceof CancelledError) return 'cancelled';
  return reason instanceof JobTimeoutError ? 'timed-out' : undefined;
}

/** The reason of the signal of a run that is told to stop for good. @param timeoutMs the job's time limit, if known */
export function reasonOfStop(cause: StopCause, jobName: JobName, item: number, timeoutMs = 0): Error {
  return cause === 'timed-out' ? new JobTimeoutError(jobName, item, timeoutMs) : new CancelledError(jobName, item);
}

/** Outcome of a stopped run, whatever its handler does. */
export function outcomeOfStop(cause: StopCause): ShardOutcomeKind {
  return cause === 'timed-out' ? 'failed' : 'aborted';
}
