/**
 * Cause of a failed write: the contents of a row, the state of the database, or a failure that says neither, such as
 * a lost connection.
 */
export type WriteFault = 'row' | 'database' | 'unknown';

/** Properties by which drivers tell the database's code. */
const CODES = ['code', 'errno', 'sqlState', 'errcode'] as const;

/** Classes of SQLSTATE: data, constraints, checks of views, limits of a value's size, errors that triggers raise. */
const ROW_STATES = /^(?:22|23|44|54|45|P0001)/;
/** MySQL's numbers for rows that have the state HY000 or 08S01: packet too large, letters, constraints. */
const ROW_NUMBERS: readonly unknown[] = [1_153, 1_366, 3_819, 3_988];
/** SQLite's primary codes: TOOBIG, CONSTRAINT, MISMATCH. */
const ROW_RESULTS: readonly number[] = [18, 19, 20];
/** SQLite's code of any other error in a statement, which says nothing. */
const SQLITE_ERROR = 1;
/** SQLite's messages, for drivers without its codes. */
const SQLITE_STATE = /database (?:table |schema )?is locked|database or disk is full/;

/**
 * A lock, a full disk or a lack of rights is a state of the database, which refuses every row then.
 * @see PostgreSQL, "Error Codes"; MySQL, "Server Error Message Reference"; SQLite, "Result and Error Codes"
 */
export function writeFaultOf(error: unknown): WriteFault {
  const { code, errno, sqlState, errcode } = codesOf(error);
  if (ROW_NUMBERS.includes(errno)) return 'row';
  if (code === 'STUCK_CONNECTION') return 'database';
  const state = sqlState ?? code;
  if (typeof state === 'string') {
    if (/^[\dA-Z]{5}$/.test(state) && /\d/.test(state)) return ROW_STATES.test(state) ? 'row' : 'database';
    const [, result] = /^SQLITE_([A-Z]+)/.exec(state) ?? [];
    if (result !== undefined && result !== 'ERROR') {
      return ['TOOBIG', 'CONSTRAINT', 'MISMATCH'].includes(result) ? 'row' : 'database';
    }
  }
  // The driver of Node: extended codes have the primary one in their lowest byte.
  if (typeof errcode === 'number' && (errcode & 0xff) !== SQLITE_ERROR) {
    return ROW_RESULTS.includes(errcode & 0xff) ? 'row' : 'database';
  }
  return SQLITE_STATE.test(String(Reflect.get(Object(error), 'message'))) ? 'database' : 'unknown';
}

/** The part of an error by which its fault is known, which another thread can be sent. */
export function codesOf(error: unknown): Readonly<Partial<Record<(typeof CODES)[number], string | number>>> {
  const found = CODES.map((name) => [name, Reflect.get(Object(error), name)]);
  return Object.fromEntries(found.filter(([, value]) => typeof value === 'string' || typeof value === 'number'));
}
