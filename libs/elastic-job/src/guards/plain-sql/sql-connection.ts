import { type FencePosition, handleRejection, isThenable } from '../../domain/index.js';

export type SqlParameter = string | number | bigint;

/** Number of affected rows, as the driver reports it. A driver that does not count refuses every write. */
export type AffectedRows = number | bigint | null | undefined;

/** Runs a statement inside the transaction of the effect. */
export type ExecuteSql = (statement: string, parameters: readonly SqlParameter[]) => Promise<AffectedRows>;

/** The same for a synchronous driver, such as `better-sqlite3`, `libsql` and `node:sqlite`. */
export type ExecuteSqlSync = (statement: string, parameters: readonly SqlParameter[]) => AffectedRows;

/**
 * One connection that several runs share. A connection has one transaction at a time, so each waits until those before
 * it have ended. Create one object per connection: two objects for the same one do not wait for each other.
 */
export class SqlConnection {
  private previous: Promise<unknown> = Promise.resolve();

  /** @param execute runs a statement on this connection; never on a pool, which would take a different one each time */
  constructor(readonly execute: ExecuteSql) {}

  /** Runs `work` between `begin` and `commit`. If it throws, everything is rolled back and the error is passed on. */
  transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.previous.then(() => this.run(work));
    this.previous = result.catch(() => undefined);
    return result;
  }

  private async rollBack(): Promise<void> {
    await this.execute('rollback', []);
  }

  private async run<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.execute('begin', []);
    try {
      const result = await work();
      await this.execute('commit', []);
      return result;
    } catch (error) {
      // SQLite ends some transactions itself. The first error matters more than the rollback's.
      await this.rollBack().catch(() => undefined);
      throw error;
    }
  }
}

/**
 * Runs `work` between `begin` and `commit`, in one step, so that nothing else can use the connection.
 * @throws {TypeError} if `work` returns a promise; writes before its first `await` are rolled back.
 * @throws {TypeError} if `execute` returns a promise; `work` is not called
 */
export function transactionSync<Result>(execute: ExecuteSqlSync, work: () => Result): Result {
  const begun: unknown = execute('begin', []);
  if (isThenable(begun)) {
    handleRejection(rollBackAfter(begun, execute));
    throw promised('writeSync', begun);
  }
  try {
    const result = work();
    if (isThenable(result)) {
      handleRejection(result);
      throw new TypeError(
        'writeSync: the effect returned a promise, and nothing was written. Await its data before writeSync, and ' +
          'write in a plain function; or use write with a SqlConnection of its own.',
      );
    }
    execute('commit', []);
    return result;
  } catch (error) {
    rollBack(execute);
    throw error;
  }
}

/** Ends the transaction of an asynchronous driver. One that has not begun is another one's, and stays. */
async function rollBackAfter(begun: PromiseLike<unknown>, execute: ExecuteSqlSync): Promise<void> {
  await begun;
  const ended: unknown = execute('rollback', []);
  await ended;
}

function rollBack(execute: ExecuteSqlSync): void {
  try {
    handleRejection(execute('rollback', []));
  } catch {
    // SQLite ends some transactions itself. The first error matters more than the rollback's.
  }
}

// Answers of a user's driver: each is a number of rows or a list of rows, or an error says what it is instead.

/** The newest writer of a job, as its row says. */
interface AheadRow {
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
  if (isThenable(answer)) throw promised(call, answer);
  throw new TypeError(`${call}: execute must return the number of affected rows, but has returned ${kindOf(answer)}.`);
}

/** The error of a synchronous method that was given an asynchronous driver. The promise's rejection is handled. */
function promised(call: string, answer: unknown): TypeError {
  handleRejection(answer);
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

function wholeNumberOf(value: unknown): number | undefined {
  if (!['number', 'bigint', 'string'].includes(typeof value) || value === '') return undefined;
  return Number.isSafeInteger(Number(value)) ? Number(value) : undefined;
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
