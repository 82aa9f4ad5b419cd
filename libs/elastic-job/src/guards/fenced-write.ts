// Parts that guards share: the run that writes, the use of a connection that may be one of SQLite, and the error of a
// missing table.
import { isMissingTable, nameStuck, type ShardingContext } from '../domain/index.js';
import { MissingFenceTableError } from './fence.errors.js';

/** Fields of a run that a guard needs; a `ShardingContext` has them. */
export type FencedRun = Pick<ShardingContext, 'jobName' | 'shardingItem' | 'token' | 'tokenEpoch'>;

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

/** Rethrows the error of a statement on the fence table; a missing table becomes an error that names the remedy. */
export function rethrow(error: unknown): never {
  throw isMissingTable(error) ? new MissingFenceTableError({ cause: error }) : error;
}
