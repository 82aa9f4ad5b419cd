import { ElasticJobError, type JobName } from '../../domain/index.js';
import { mayBeApplied } from '../../registry/index.js';

/** A command of several steps, of which the first ones are done. */
interface Begun {
  readonly jobName: JobName;
  /** The work, as an error names it. */
  readonly work: string;
  /** The answer of the command for the part that is done; undefined if it returns nothing. */
  readonly done?: unknown;
}

/**
 * A command of several steps has failed after its first one: a part of it is done, and stays. Its `cause` says why the
 * rest is not.
 * @remarks Repeat the call: it does the rest. If it fails again, go by the error in `cause`.
 */
export class PartlyDoneError extends ElasticJobError {
  readonly code = 'PARTLY_DONE';
  declare readonly cause: ElasticJobError;

  constructor(
    readonly jobName: JobName,
    work: string,
    cause: ElasticJobError,
    /** The answer of the command for the part that is done; undefined if it returns nothing. */
    readonly done: unknown,
  ) {
    super(`Job "${jobName}": ${work} is done in part; repeat the call to do the rest. ${cause.message}`, { cause });
  }
}

/**
 * Returns the error to throw when a step of a command fails whose earlier ones are done.
 * @returns a `PartlyDoneError`, or the error itself if nobody knows what its step has done
 */
export function errorOfLaterStep(error: unknown, { done, jobName, work }: Begun): unknown {
  const isOfNothing = error instanceof ElasticJobError && !mayBeApplied(error);
  return isOfNothing ? new PartlyDoneError(jobName, work, error, done) : error;
}
