/** Answers of a user's driver: each is a number of rows or a list of rows, or an error says what it is instead. */
import { type FencePosition, hearRejection } from '../../domain/index.js';

/** The newest writer of a job, as its row says. */
export interface AheadRow {
  readonly item: number;
  readonly stored: FencePosition;
}

/**
 * The number of affected rows; 0 of a driver that does not count.
 * @param call the public method, for the message
 * @throws {TypeError} for anything else, which would refuse every write as that of a stale run
 */
export function countOf(call: string, answer: unknown): number {
  if (answer === undefined || answer === null) return 0;
  if (typeof answer === 'number' || typeof answer === 'bigint') return Number(answer);
  if (isPromise(answer)) throw promised(call, answer);
  throw new TypeError(`${call}: execute must return the number of affected rows, but has returned ${kindOf(answer)}.`);
}

/** The error of a synchronous method that was given an asynchronous driver. The promise is heard. */
export function promised(call: string, answer: unknown): TypeError {
  hearRejection(answer);
  return new TypeError(
    `${call}: execute must return the number of affected rows, but has returned a promise; use ` +
      `${call.replace(/Sync$/, '')} with an asynchronous driver.`,
  );
}

/** Reads the answer to `selectAheadSql`. @returns undefined if it has no row @throws {TypeError} */
export function readAhead(answer: unknown): AheadRow | undefined {
  const must = 'assertNotAhead: select must return';
  if (!Array.isArray(answer)) throw new TypeError(`${must} a list of rows, but has returned ${kindOf(answer)}.`);
  if (answer.length === 0) return undefined;
  const row: object = Object(answer[0]);
  const [item, tokenEpoch] = [Reflect.get(row, 'item'), Reflect.get(row, 'token_epoch')].map(wholeNumberOf);
  // Read as text: drivers read a bigint column as a number, and round it.
  const token = String(Reflect.get(row, 'token'));
  if (item === undefined || tokenEpoch === undefined || !/^\d+$/.test(token)) {
    const columns = Object.keys(row).join(', ') || 'none of them';
    throw new TypeError(`${must} rows with item, token_epoch and token, as numbers or texts, but has ${columns}.`);
  }
  return { item, stored: { tokenEpoch, token: BigInt(token) } };
}

/** True for a promise of any realm, and for any other object with `then`. */
export function isPromise(value: unknown): value is PromiseLike<unknown> {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isObject && typeof Reflect.get(value, 'then') === 'function';
}

function wholeNumberOf(value: unknown): number | undefined {
  if (!['number', 'bigint', 'string'].includes(typeof value) || value === '') return undefined;
  return Number.isSafeInteger(Number(value)) ? Number(value) : undefined;
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
