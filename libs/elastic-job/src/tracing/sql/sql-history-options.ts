import type { TraceDialectName } from './trace-dialect.js';

/** Options of `SqlHistory`. */
export interface SqlHistoryOptions {
  /** Name of the history in messages; several histories need several names. @default 'sql' */
  readonly name?: string;
  /** Dialect of the database. @default the dialect of the Kysely instance */
  readonly dialect?: TraceDialectName;
  /** How long rows are kept, in days. @default for ever */
  readonly keepDays?: number;
  /** Most rows of each table that are kept, the newest. @default all */
  readonly keepRows?: number;
  /** Most rows that wait in memory; the oldest are dropped. At least 1000. @default 10_000 */
  readonly queueRows?: number;
  /** How long rows are collected before they are written, in milliseconds. @default 200 */
  readonly gatherMs?: number;
  /**
   * The file of a module that exports a function `createDialect`, which makes a dialect of Kysely for the same
   * database. With it, a thread writes the rows over a connection of its own, so the event loop only collects them.
   * Reading, migrations and deletions still use the given Kysely.
   *
   * ```ts
   * // history.dialect.ts
   * export const createDialect = () => new SqliteDialect({ database: new Database('history.db', { timeout: 5_000 }) });
   * // app.module.ts
   * new SqlHistory(db, { dialectModule: new URL('./history.dialect.js', import.meta.url) })
   * ```
   * @default rows are written in the thread of the event loop
   */
  readonly dialectModule?: URL;
  /**
   * Place of the file behind `nestjs-elastic-job/history-thread`, if the application is bundled.
   * @default beside this one
   */
  readonly threadUrl?: URL;
}
