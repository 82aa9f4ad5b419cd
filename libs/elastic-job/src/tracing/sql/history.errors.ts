import { ElasticJobError } from '../../domain/index.js';

/**
 * The history's database has not answered in time. The write is repeated; it may have been done.
 * @remarks Check that the database is up and has a free connection. No job waits for it.
 */
export class HistoryTimeoutError extends ElasticJobError {
  readonly code = 'HISTORY_TIMEOUT';

  constructor(readonly timeoutMs: number) {
    super(`The history's database has not answered within ${timeoutMs} ms; is it up, and are its connections free?`);
  }
}

/**
 * The history's database lacks the table to read from.
 * @remarks Call `migrate()` of the `SqlHistory` before the first read.
 */
export class MissingHistoryTableError extends ElasticJobError {
  readonly code = 'MISSING_HISTORY_TABLE';

  constructor(
    readonly table: string,
    options?: ErrorOptions,
  ) {
    super(
      `The history's database has no table ${table} yet; call migrate() of the SqlHistory, as the first write does.`,
      options,
    );
  }
}
