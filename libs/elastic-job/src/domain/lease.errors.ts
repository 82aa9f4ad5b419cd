import { ElasticJobError } from './errors.js';
import type { JobName } from './trigger.js';

/** This instance may no longer act for the item; somebody else may already run it. */
export class LeaseLostError extends ElasticJobError {
  readonly code = 'LEASE_LOST';

  constructor(
    readonly jobName: JobName,
    readonly item: number,
    options?: ErrorOptions,
  ) {
    super(`Item ${item} of job "${jobName}" is no longer held by this instance; write nothing more for it.`, options);
  }
}

/** A guarded store has seen a newer token for the item: the writer is stale. */
export class FencedError extends ElasticJobError {
  readonly code = 'FENCED';

  constructor(
    readonly jobName: JobName,
    readonly item: number,
    readonly token: bigint,
  ) {
    super(`Item ${item} of job "${jobName}": the store has seen a newer token than ${token}; this writer is stale.`);
  }
}

/** A handler ran longer than its job's `timeoutMs`. The reason of the aborted signal. */
export class JobTimeoutError extends ElasticJobError {
  readonly code = 'JOB_TIMEOUT';

  constructor(
    readonly jobName: JobName,
    readonly item: number,
    readonly timeoutMs: number,
  ) {
    super(`Item ${item} of job "${jobName}" ran longer than ${timeoutMs} ms.`);
  }
}

/** Shutdown's deadline passed while the item still ran. The reason of the aborted signal. */
export class DrainDeadlineError extends ElasticJobError {
  readonly code = 'DRAIN_DEADLINE';

  constructor(
    readonly jobName: JobName,
    readonly drainTimeoutMs: number,
  ) {
    super(`Job "${jobName}" still ran ${drainTimeoutMs} ms after shutdown began.`);
  }
}
