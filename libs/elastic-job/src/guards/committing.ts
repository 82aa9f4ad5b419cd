import { nameStuck } from '../domain/index.js';

/**
 * Uses a connection of SQLite after an empty transaction, since one of libsql that was refused a lock may commit
 * nothing any more: each further statement would keep the file locked for all other processes.
 * @param commit begins and commits a transaction without a statement; undefined for other databases
 * @throws {StuckConnectionError} if the connection commits nothing
 */
export async function committing<Result>(
  commit: (() => Promise<unknown>) | undefined,
  use: () => Promise<Result>,
): Promise<Result> {
  try {
    await commit?.();
    return await use();
  } catch (error) {
    throw nameStuck(error);
  }
}

/** @see committing */
export function committingSync<Result>(commit: (() => unknown) | undefined, use: () => Result): Result {
  try {
    commit?.();
    return use();
  } catch (error) {
    throw nameStuck(error);
  }
}
