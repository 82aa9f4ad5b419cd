/**
 * A history of runs in ElasticJob's two tables: the official console reads it, and Java instances may write it as well.
 *
 * - State: `JOB_EXECUTION_LOG`, a row for each run of an item, written as its handler is called and again as it ends;
 *   `JOB_STATUS_TRACE_LOG`, two rows for each run of this instance's items together (TASK_RUNNING, then TASK_FINISHED or
 *   TASK_ERROR), as Java writes them. Java's TASK_STAGING is left out: it would tell of the instant of TASK_RUNNING. A
 *   small table of our own remembers the migrations.
 * - Promise: no job ever waits for it. Rows are queued in memory and written in batches; a run that ends before its
 *   start was written is one write.
 * - Slow or absent database: the queue fills up to its limit, then the oldest rows give way, are counted, and a
 *   `history-dropped` event tells how many. The writer tries again with growing pauses, and goes on where it was.
 * - A row that the database refuses for what is in it is dropped and counted, and the others go on.
 * - Writing costs the event loop what the driver does there, and SQLite's driver does everything there. With
 *   `dialectModule` a thread writes: at most one write is with it, the rest waits in the same queue by the same rules. A
 *   thread that dies is told, and another one repeats what it was writing.
 * - Crash: what is queued is lost, and a run whose end was not written stays as not successful and not complete.
 * - Unknown fate of a write: it is repeated. Rows have ids, so nothing is there twice, except status rows in MySQL,
 *   whose ids are not unique in ElasticJob's table.
 * - Several instances may start, write and prune at once.
 * - Tables that Java has made keep their form, but for a `source` that a writer may leave out. The indexes that
 *   reading and retention like to have are made with tables of our own only: where Java has made them, add one on
 *   `start_time`.
 *
 * SQLite, PostgreSQL, and MySQL or MariaDB; any driver that Kysely has for them. Times are written as the driver writes
 * a `Date` (as Java does: local to the process unless the driver is told otherwise), in SQLite as milliseconds since
 * the epoch.
 */
export * from './history.errors.js';
export * from './sql-history.js';
export type {
  ExecutionCount,
  ExecutionFilter,
  ExecutionQuery,
  ExecutionTrace,
  RunHistory,
  StatusTrace,
  TraceFilter,
  TracePage,
  TracePageQuery,
  TraceQuery,
  TraceState,
} from '../trace-query.js';
