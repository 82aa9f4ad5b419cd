/** PostgreSQL's and MySQL's codes for a table that is not there. */
const CODES: readonly unknown[] = ['42P01', 'ER_NO_SUCH_TABLE'];

/** True for the error of a statement whose table does not exist, from any driver. SQLite has no code for it. */
export function isMissingTable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && CODES.includes(error.code)) || error.message.includes('no such table');
}
