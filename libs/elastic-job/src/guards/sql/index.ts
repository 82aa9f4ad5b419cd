/**
 * The fence for stores in SQL: it refuses a writer whose item has been given to another run.
 *
 * A process that is paused, or cut off from the registry, cannot know that it no longer owns an item. The store can:
 * every begin of an item gets a greater token, and the guard table keeps the greatest one that has written.
 *
 * - State: one row per job and item with the pair (tokenEpoch, token) of the newest writer.
 * - Guarantee: once a writer was accepted, writers with a smaller pair are refused, and leave no trace.
 * - The same pair is accepted repeatedly: a run may write in many transactions.
 * - The check locks the row until the effect is committed, so no other writer comes between the two.
 * - If the process dies between the check and the commit, the database rolls back both.
 *
 * SQLite and PostgreSQL; any driver that Kysely has for them.
 */
export { FencedError, StuckConnectionError } from '../../domain/index.js';
export * from '../fence.errors.js';
export type { FencedRun } from '../fenced-write.js';
export { advanceFenceSql, createFenceTableSql } from '../plain-sql/index.js';
export * from './sql-guard.js';
