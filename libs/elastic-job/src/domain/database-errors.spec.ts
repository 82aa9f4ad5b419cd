import { expect, it } from 'vitest';
import { isMissingTable, nameStuck, StuckConnectionError } from './database-errors.js';

it.each([
  ['PostgreSQL', Object.assign(new Error('relation "runs" does not exist'), { code: '42P01' })],
  ['MySQL', Object.assign(new Error("Table 'jobs.runs' doesn't exist"), { code: 'ER_NO_SUCH_TABLE' })],
  ['SQLite', Object.assign(new Error('no such table: runs'), { code: 'ERR_SQLITE_ERROR' })],
  ['SQLite without a code', new Error('SqliteError: no such table: runs')],
])('a table that is missing in %s is told from other faults', (_, error) => {
  expect(isMissingTable(error)).toBe(true);
});

it.each([
  ['another code', Object.assign(new Error('duplicate key'), { code: '23505' })],
  ['no code', new Error('database is locked')],
  ['no error', 'no such table: runs'],
  ['nothing', undefined],
])('a fault with %s is none of a missing table', (_, error) => {
  expect(isMissingTable(error)).toBe(false);
});

it('a connection that commits nothing more is named, with the error of its driver as the cause', () => {
  const cause = new Error('cannot commit transaction - SQL statements in progress');

  expect(nameStuck(cause)).toBeInstanceOf(StuckConnectionError);
  expect(nameStuck(cause)).toHaveProperty('cause', cause);
});

it.each([new Error('database is locked'), 'SQL statements in progress', undefined])('is no such one: %o', (error) => {
  expect(nameStuck(error)).toBe(error);
});
