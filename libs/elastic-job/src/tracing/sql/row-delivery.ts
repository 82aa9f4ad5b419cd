import { lesserVersionsOf } from './lesser-row.js';
import { timeOf, type TraceRow } from './trace-row.js';

/**
 * Rows that wait to be written, in order, each once: a later version of a row replaces the earlier one. When the
 * queue is full the oldest row is dropped, because after an outage the present matters most.
 */
export class RowQueue {
  private waiting = new Map<number, TraceRow>();
  private taken: readonly TraceRow[] = [];
  private lost = 0;
  private lostFrom: number | undefined;

  /** @param limit most rows that wait or are being written; must exceed the rows that are taken at once */
  constructor(private readonly limit: number) {}

  get size(): number {
    return this.waiting.size + this.taken.length;
  }

  /** Number of rows dropped so far. */
  get dropped(): number {
    return this.lost;
  }

  /** The time of the oldest row that was dropped since the last call, in milliseconds since the epoch. */
  takeLostFrom(): number | undefined {
    const from = this.lostFrom;
    this.lostFrom = undefined;
    return from;
  }

  put(row: TraceRow): void {
    if (this.size >= this.limit && !this.waiting.has(row.number)) this.dropOldest();
    this.waiting.set(row.number, row);
  }

  /** The oldest rows. They belong to the caller until `done`, `drop` or `giveBack`; no others can be taken before. */
  take(count: number): readonly TraceRow[] {
    this.taken = firstOf(this.waiting.values(), count);
    for (const { number } of this.taken) this.waiting.delete(number);
    return this.taken;
  }

  /** Call when the first `count` of the taken rows are written. */
  done(count: number): void {
    this.taken = this.taken.slice(count);
  }

  /** Call when the taken rows were not written; they come first again. */
  giveBack(): void {
    const inOrder = [...this.taken, ...this.waiting.values()];
    this.waiting = new Map(inOrder.map((row) => [row.number, row]));
    this.taken = [];
  }

  /** Drops the first of the taken rows. */
  drop(): void {
    this.lose(this.taken.slice(0, 1));
    this.done(1);
  }

  /** Drops all rows. */
  dropAll(): void {
    this.giveBack();
    this.lose([...this.waiting.values()]);
    this.waiting.clear();
  }

  private dropOldest(): void {
    const [oldest] = this.waiting.values();
    if (oldest === undefined) return;
    this.waiting.delete(oldest.number);
    this.lose([oldest]);
  }

  private lose(rows: readonly TraceRow[]): void {
    this.lost += rows.length;
    for (const row of rows) this.lostFrom = Math.min(timeOf(row) ?? Infinity, this.lostFrom ?? Infinity);
  }
}

function firstOf<T>(values: Iterable<T>, count: number): T[] {
  const first: T[] = [];
  for (const value of values) {
    if (first.length >= count) break;
    first.push(value);
  }
  return first;
}

/** Rows that a database which takes others does not take. */
export interface Refusal {
  readonly error: unknown;
  /** True if the error names the contents of a row; false if a repetition may succeed. */
  readonly isOfContents: boolean;
}

/** Writes a batch, and receives the outcome of each row, in the order of the rows. */
export interface RowReceiver {
  /** Writes all of the rows or none. Rejects if the database takes nothing at present. */
  refusalOf(rows: readonly TraceRow[]): Promise<Refusal | undefined>;
  onWritten(count: number): void;
  /** A row was written with less text. */
  onLess(row: TraceRow, error: unknown): void;
  onRefused(row: TraceRow, error: unknown): void;
}

/**
 * Delivers a batch. One that is refused is halved until the refused rows stand alone, so that each of them costs no
 * other row. A row that stands alone is tried again with less text, and is refused after that.
 * @throws the receiver's error; the rows without an outcome are not delivered then
 */
export async function deliver(rows: readonly TraceRow[], receiver: RowReceiver): Promise<void> {
  const refusal = await receiver.refusalOf(rows);
  if (refusal === undefined) return receiver.onWritten(rows.length);
  const middle = Math.floor(rows.length / 2);
  if (middle === 0) return deliverAlone(rows[0]!, refusal, receiver);
  await deliver(rows.slice(0, middle), receiver);
  await deliver(rows.slice(middle), receiver);
}

async function deliverAlone(row: TraceRow, { error, isOfContents }: Refusal, receiver: RowReceiver): Promise<void> {
  if (!isOfContents && (await receiver.refusalOf([row])) === undefined) return receiver.onWritten(1);
  for (const less of lesserVersionsOf(row)) {
    if ((await receiver.refusalOf([less])) === undefined) return receiver.onLess(row, error);
  }
  receiver.onRefused(row, error);
}

/**
 * Cause of a failed write: the contents of a row, the state of the database, or a failure that says neither, such as
 * a lost connection.
 */
type WriteFault = 'row' | 'database' | 'unknown';

/** Properties in which drivers have the database's code. */
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
