import { ElasticJobError, isMissingTable } from '../domain/index.js';

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

/** Rethrows the error of a statement on the fence table; a missing table becomes an error that names the remedy. */
export function rethrow(error: unknown): never {
  throw isMissingTable(error) ? new MissingFenceTableError({ cause: error }) : error;
}
