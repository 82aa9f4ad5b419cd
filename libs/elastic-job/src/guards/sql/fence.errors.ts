import { ElasticJobError, type JobName } from '../../domain/index.js';

/** A run without a fencing token wants to write to a guarded store. */
export class MissingTokenError extends ElasticJobError {
  readonly code = 'MISSING_TOKEN';

  constructor(
    readonly jobName: JobName,
    readonly item: number,
  ) {
    super(
      `Item ${item} of job "${jobName}" has no fencing token, so a guarded store cannot tell it from a stale run; ` +
        `set "monitorExecution" of the job to true.`,
    );
  }
}

/**
 * The guard table has seen tokens that the registry has yet to reach: the registry was restored or replaced, and counts
 * from below. Every write would be refused.
 */
export class FenceAheadError extends ElasticJobError {
  readonly code = 'FENCE_AHEAD';

  /**
   * @param stored the newest pair in the guard table
   * @param registry the pair that a run begun now would have
   */
  constructor(
    readonly jobName: JobName,
    readonly item: number,
    readonly stored: { readonly tokenEpoch: number; readonly token: bigint },
    readonly registry: { readonly tokenEpoch: number; readonly token: bigint },
  ) {
    super(
      `Job "${jobName}": the guard table has (tokenEpoch ${stored.tokenEpoch}, token ${stored.token}) for item ${item}, ` +
        `the registry is only at (tokenEpoch ${registry.tokenEpoch}, token ${registry.token}), so every write would be ` +
        `refused. If the registry was restored or replaced, set the module's "tokenEpoch" to ${stored.tokenEpoch + 1} ` +
        `on all instances.`,
    );
  }
}
