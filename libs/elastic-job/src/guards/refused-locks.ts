import { isRefusedLock, nameStuck, StuckConnectionError } from '../domain/index.js';

/**
 * Writes to a database that may refuse a lock. After a refusal an empty transaction comes before the next write, since
 * a connection of libsql may commit nothing any more: the write would keep the file locked for all other processes.
 */
export class RefusedLocks {
  private isSuspect = false;

  /**
   * @param commit begins and commits a transaction without a statement
   * @throws {StuckConnectionError} if the connection commits nothing
   */
  async around<Result>(commit: () => Promise<unknown>, write: () => Promise<Result>): Promise<Result> {
    try {
      if (this.isSuspect) await commit();
      this.isSuspect = false;
      return await write();
    } catch (error) {
      throw this.noted(error);
    }
  }

  /** @see around */
  aroundSync<Result>(commit: () => unknown, write: () => Result): Result {
    try {
      if (this.isSuspect) commit();
      this.isSuspect = false;
      return write();
    } catch (error) {
      throw this.noted(error);
    }
  }

  private noted(error: unknown): unknown {
    const named = nameStuck(error);
    if (named instanceof StuckConnectionError || isRefusedLock(error)) this.isSuspect = true;
    return named;
  }
}
