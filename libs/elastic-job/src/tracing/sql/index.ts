/**
 * A history of runs. Two of its tables are ElasticJob's: the official console reads them, and Java instances may write
 * them as well. They get no column; what they cannot say stands in four tables of our own.
 *
 * - State: `JOB_EXECUTION_LOG`, a row for each run of an item, written as its handler is called and again as it ends;
 *   `JOB_STATUS_TRACE_LOG`, two rows for each run of this instance's items together (TASK_RUNNING, then TASK_FINISHED
 *   or TASK_ERROR), as Java writes them. Java's TASK_STAGING is left out, since it would have the same instant as
 *   TASK_RUNNING. `ELASTIC_JOB_RUN`, a row for each begun target of an item, with the id of its row in
 *   JOB_EXECUTION_LOG; `ELASTIC_JOB_ATTEMPT`, a row for each call of a handler that was retried; `ELASTIC_JOB_EVENT`, a
 *   row for each event but those of runs; `ELASTIC_JOB_STAT`, totals of ten minutes for each job and writer.
 * - Tables of our own are created where they are missing, and recorded nowhere but in the catalogue: a history of a
 *   release before goes on beside them. A database that refuses to create them keeps ElasticJob's two, and one error
 *   says so.
 * - Versions of a row may come in any order and again: one with an end, or with larger totals, is never replaced by one
 *   without. Rows of dropped rows are one for ten minutes, since in a full queue each row costs another one.
 * - Promise: no job ever waits for it. Rows are queued in memory and written in batches; a run that ends before its
 *   start was written is one write.
 * - Slow or absent database: the queue fills up to its limit, then the oldest rows are dropped and counted in a
 *   `history-dropped` event. The writer tries again with growing pauses, and continues where it was.
 * - Texts are cut to the columns' widths, which others may have created: those of ElasticJob's console have 255
 *   characters. Tables of our own take every letter (`utf8mb4` in MySQL).
 * - A row whose contents the database refuses is tried again in ASCII, then without its failure or message. Only a row
 *   that is refused even so is dropped and counted. The rows beside it are written without delay.
 * - A lock, a full disk, a missing table or a lack of rights is no refusal of a row: the writer waits and tries again.
 * - A connection of libsql that was refused as locked commits nothing for a while, so a file that others lock needs a
 *   time to wait for them: `new Database(file, { timeout: 5_000 })`. Without it rows wait in memory until JavaScript's
 *   garbage is collected, an error names the remedy, and the file stays open for others. The thread of `dialectModule`
 *   takes another connection then.
 * - Writing uses the event loop as far as the driver does, and SQLite's driver does everything there. With
 *   `dialectModule` a thread writes, one write at a time, and the rest waits in the same queue by the same rules. A
 *   thread that dies is reported, and another one repeats its write.
 * - Crash: queued rows and the last seconds of totals are lost, and a run whose end was not written stays as not
 *   successful and not complete.
 * - Unknown fate of a write: it is repeated. Rows have ids, so nothing is there twice, except status rows in MySQL,
 *   whose ids are not unique in ElasticJob's table.
 * - Several instances may start, write and prune at once.
 * - Tables that Java has created keep their form, except that a writer may leave out `source`. The indexes for reading
 *   and retention are created only with tables of our own: in Java's tables, add one on `start_time`.
 *
 * SQLite, PostgreSQL, and MySQL or MariaDB; any driver that Kysely has for them. Times are written as the driver writes
 * a `Date` (as Java does: local to the process unless the driver is told otherwise), in SQLite as milliseconds since
 * the epoch.
 */
export { StuckConnectionError } from '../../domain/index.js';
export * from './history.errors.js';
export type { SqlHistoryOptions } from './sql-history-options.js';
export * from './sql-history.js';
export type {
  DoubleRun,
  EventFilter,
  EventQuery,
  FireTimeCell,
  FireTimeColumn,
  FireTimeFate,
  FireTimesAnswer,
  FireTimesQuery,
  JobAttempt,
  JobHistory,
  JobHistoryEvent,
  JobPulse,
  JobRun,
  JobRunDetail,
  MissedFireTimes,
  Percentiles,
  RunFilter,
  RunOutcome,
  RunQuery,
  StatisticsBucket,
  StatisticsQuery,
} from '../job-history.js';
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
