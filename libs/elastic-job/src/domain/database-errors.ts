import { ElasticJobError } from './errors.js';

/**
 * A connection of SQLite was refused a lock, and commits nothing more for a while, so nothing is written. `libsql` ends
 * a refused statement only when JavaScript's garbage is collected, which may take minutes.
 * @remarks Give each connection a time to wait for other processes, such as `new Database(file, { timeout: 5_000 })`.
 * Until then, open the connection anew, or restart the process.
 * @see tursodatabase/libsql-client-ts, issue 352
 */
export class StuckConnectionError extends ElasticJobError {
  readonly code = 'STUCK_CONNECTION';

  constructor(options?: ErrorOptions) {
    super(
      'A connection of SQLite was refused a lock, and commits nothing more for a while, so nothing is written; give ' +
        'each connection a time to wait for other processes: new Database(file, { timeout: 5_000 }).',
      options,
    );
  }
}

/** The error of a transaction, or the one that names the remedy if its connection commits nothing more. */
export function nameStuck(error: unknown): unknown {
  const isStuck = error instanceof Error && error.message.includes('SQL statements in progress');
  return isStuck ? new StuckConnectionError({ cause: error }) : error;
}

/** PostgreSQL's and MySQL's codes for a table that is not there. */
const CODES: readonly unknown[] = ['42P01', 'ER_NO_SUCH_TABLE'];

/** True for the error of a statement whose table does not exist, from any driver. SQLite has no code for it. */
export function isMissingTable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && CODES.includes(error.code)) || error.message.includes('no such table');
}
