import { ElasticJobError, type FencePosition, type JobName } from '../domain/index.js';

export { MissingTokenError } from '../domain/index.js';

/**
 * Other runs have written the fence in every round while this run tried to write.
 * @remarks Look for a client that rewrites the fence's node, and stop it.
 */
export class FenceContentionError extends ElasticJobError {
  readonly code = 'FENCE_CONTENTION';

  constructor(
    readonly jobName: JobName,
    readonly item: number,
  ) {
    super(
      `Item ${item} of job "${jobName}": other writers changed the fence at every try; ` +
        'find the process that rewrites its node.',
    );
  }
}

/**
 * The node of a fence holds a text that no guard has written. Stale writes cannot be told apart then, so every write is
 * refused.
 * @remarks Find out who has changed the node, and restore it; or delete it if no stale run can be left.
 */
export class FenceNodeError extends ElasticJobError {
  readonly code = 'FENCE_NODE';

  constructor(readonly path: string) {
    super(
      `The fence ${path} cannot be read, so nothing is written; find out who has changed it, and restore or delete it.`,
    );
  }
}

/**
 * The guarded store has seen tokens that the registry has not reached yet: the registry was restored or replaced, and
 * counts from a lower number. Every write would be refused.
 * @remarks Set the module's `tokenEpoch` to the number that the message names, on all instances.
 */
export class FenceAheadError extends ElasticJobError {
  readonly code = 'FENCE_AHEAD';

  /**
   * @param stored the newest pair in the store
   * @param registry the pair that a run would have now
   */
  constructor(
    readonly jobName: JobName,
    readonly item: number,
    readonly stored: FencePosition,
    readonly registry: FencePosition,
  ) {
    super(
      `Job "${jobName}": the guarded store has (tokenEpoch ${stored.tokenEpoch}, token ${stored.token}) for item ` +
        `${item}, the registry is only at (tokenEpoch ${registry.tokenEpoch}, token ${registry.token}), ` +
        `so every write would be refused. If the registry was restored or replaced, set the module's "tokenEpoch" to ` +
        `${stored.tokenEpoch + 1} on all instances.`,
    );
  }
}

/**
 * The guarded database has no table for fences, so nothing was written.
 * @remarks Call `createTable()` of the guard once before the jobs start, or run `createFenceTableSql` as a migration.
 */
export class MissingFenceTableError extends ElasticJobError {
  readonly code = 'MISSING_FENCE_TABLE';

  constructor(options?: ErrorOptions) {
    super(
      'The guarded database has no table "elastic_job_fence", so nothing is written; call createTable() of the guard ' +
        'once before the jobs start, or run createFenceTableSql as a migration.',
      options,
    );
  }
}
