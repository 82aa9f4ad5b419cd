import { hearRejection } from '../../domain/index.js';
import { isPromise, promised } from './driver-answers.js';

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
  if (isPromise(begun)) {
    hearRejection(rollBackAfter(begun, execute));
    throw promised('writeSync', begun);
  }
  try {
    const result = work();
    if (isPromise(result)) {
      hearRejection(result);
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
    hearRejection(execute('rollback', []));
  } catch {
    // SQLite ends some transactions itself. The first error matters more than the rollback's.
  }
}
