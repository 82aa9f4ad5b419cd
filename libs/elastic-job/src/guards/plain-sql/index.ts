/**
 * The fence for stores in SQL, with any driver. The guarantees are those of `guards/sql`, which needs Kysely.
 *
 * SQLite and PostgreSQL: MySQL has no `on conflict ... where`.
 */
export { FencedError, StuckConnectionError } from '../../domain/index.js';
export * from '../fence.errors.js';
export type { FencedRun } from '../fenced-write.js';
export * from './fence-table.js';
export * from './plain-sql-guard.js';
export {
  type AffectedRows,
  type ExecuteSql,
  type ExecuteSqlSync,
  SqlConnection,
  type SqlParameter,
} from './sql-connection.js';
