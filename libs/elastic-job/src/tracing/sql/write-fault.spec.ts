import { describe, expect, it } from 'vitest';
import { StuckConnectionError } from '../../domain/index.js';
import { codesOf, writeFaultOf } from './row-delivery.js';

const failure = (message: string, codes: object = {}) => Object.assign(new Error(message), codes);

describe('the fault of a failed write', () => {
  it.each([
    ['PostgreSQL, a text that is too long', failure('value too long', { code: '22001' })],
    ['PostgreSQL, a letter that its encoding lacks', failure('has no equivalent in encoding', { code: '22P05' })],
    ['PostgreSQL, a constraint', failure('violates check constraint', { code: '23514' })],
    ['PostgreSQL, a trigger', failure('no', { code: 'P0001' })],
    ['MariaDB, a letter', failure('Incorrect string value', { errno: 1366, sqlState: '22007' })],
    ['MySQL, a letter', failure('Incorrect string value', { errno: 1366, sqlState: 'HY000' })],
    ['MySQL, a text', failure('Data too long', { code: 'ER_DATA_TOO_LONG', errno: 1406, sqlState: '22001' })],
    ['MySQL, a packet', failure('max_allowed_packet', { errno: 1153, sqlState: '08S01' })],
    ['MySQL, a trigger', failure('no', { code: 'ER_SIGNAL_EXCEPTION', errno: 1644, sqlState: '45000' })],
    ['SQLite', failure('CHECK constraint failed', { code: 'SQLITE_CONSTRAINT_CHECK' })],
    ['SQLite of Node', failure('CHECK constraint failed', { code: 'ERR_SQLITE_ERROR', errcode: 275 })],
  ])('is the row for %s', (_, error) => {
    expect(writeFaultOf(error)).toBe('row');
  });

  it.each([
    ['PostgreSQL that is only read', failure('read-only transaction', { code: '25006' })],
    ['PostgreSQL with a full disk', failure('No space left on device', { code: '53100' })],
    ['PostgreSQL with a deadlock', failure('deadlock detected', { code: '40P01' })],
    ['a table that is gone', failure('does not exist', { code: '42P01' })],
    ['MySQL with a lock', failure('Lock wait', { code: 'ER_LOCK_WAIT_TIMEOUT', errno: 1205, sqlState: 'HY000' })],
    ['MySQL with a full table', failure('is full', { code: 'ER_RECORD_FILE_FULL', errno: 1114, sqlState: 'HY000' })],
    ['a locked SQLite', failure('database is locked', { code: 'SQLITE_BUSY' })],
    ['a SQLite with a locked snapshot', failure('database is locked', { code: 'SQLITE_BUSY_SNAPSHOT' })],
    ['a full SQLite', failure('database or disk is full', { code: 'SQLITE_FULL' })],
    ['a locked SQLite of Node', failure('database is locked', { code: 'ERR_SQLITE_ERROR', errcode: 517 })],
    ['a connection of SQLite that commits nothing', new StuckConnectionError()],
    ['a locked SQLite whose driver has no codes', failure('SqliteError: database table is locked')],
    ['a full SQLite whose driver has no codes', failure('database or disk is full')],
  ])('is the database for %s', (_, error) => {
    expect(writeFaultOf(error)).toBe('database');
  });

  it.each([
    ['a lost connection', failure('connect ECONNREFUSED', { code: 'ECONNREFUSED', errno: -111 })],
    ['a code of five letters', failure('broken pipe', { code: 'EPIPE' })],
    ['an error of SQLite that says nothing', failure('SQL logic error', { code: 'SQLITE_ERROR' })],
    ['an error without a code', failure('it ended with code 3')],
    ['what is no error', 'no'],
    ['nothing', undefined],
  ])('is unknown for %s', (_, error) => {
    expect(writeFaultOf(error)).toBe('unknown');
  });

  it('is the same by the codes that another thread was sent', () => {
    const error = failure('Incorrect string value', { errno: 1366, sqlState: 'HY000', stack: '', fatal: true });

    expect(codesOf(error)).toEqual({ errno: 1366, sqlState: 'HY000' });
    expect(writeFaultOf(codesOf(error))).toBe('row');
  });
});
