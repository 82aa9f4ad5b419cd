/**
 * The fence for stores in SQL: it turns away a writer whose item has been handed to somebody else.
 *
 * A process that is paused, or cut off from the registry, cannot know that it no longer owns an item. The store can:
 * every begin of an item hands out a greater token, and the guard table remembers the greatest one that has written.
 *
 * - State: one row per job and item with the pair (tokenEpoch, token) of the newest writer.
 * - Guarantee: once a writer was accepted, no writer with a smaller pair is, and nothing that it tried remains.
 * - The same pair is accepted again and again: a run writes in as many transactions as it likes.
 * - The row is locked by the check until the effect is committed, so the two cannot be separated by another writer.
 * - If the process dies between the check and the commit, the database rolls back both.
 *
 * SQLite and PostgreSQL; any driver that Kysely has for them.
 */
export { FencedError } from '../../domain/index.js';
export * from '../fence.errors.js';
export type * from '../fenced-run.js';
export { MissingFenceTableError } from '../missing-fence-table.error.js';
export { advanceFenceSql, createFenceTableSql } from '../plain-sql/index.js';
export * from './sql-guard.js';
