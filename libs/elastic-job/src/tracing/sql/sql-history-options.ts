import { existsSync } from 'node:fs';
import { types } from 'node:util';
import {
  flag,
  isFileUrl,
  mustBe,
  oneOf,
  type OptionRow,
  OptionTable,
  rule,
  show,
  text,
  wholeFrom,
  wholeNumber,
} from '../../domain/index.js';
import type { ExecutionFilter, ExecutionQuery, TraceFilter, TracePageQuery, TraceQuery } from '../trace-query.js';
import { TRACE_DIALECTS, type TraceDialectName } from './trace-dialect.js';

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
  /** Most rows that wait in memory; the oldest are dropped. At least 1000. @default 20_000 */
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

/** Most rows of a page. */
const MOST_ROWS = 1_000;

const FILE = 'the URL of an existing file';
const fileUrl = rule(
  FILE,
  (value) => isFileUrl(value) && existsSync(value),
  mustBe(FILE, (value) => show(String(value))),
);
// Also a date of another realm, such as one that was cloned or comes from a driver within Jest.
const instant = rule('a valid Date', (value) => types.isDate(value) && !Number.isNaN(value.getTime()));

const HISTORY = {
  name: { rule: rule('a text', (value) => typeof value === 'string' && value !== '') },
  dialect: { rule: oneOf(TRACE_DIALECTS) },
  keepDays: { rule: wholeFrom(1) },
  keepRows: { rule: wholeFrom(1) },
  queueRows: { rule: wholeFrom(1_000) },
  gatherMs: { rule: wholeFrom(0) },
  dialectModule: { rule: fileUrl },
  threadUrl: { rule: fileUrl },
} as const satisfies Readonly<Record<keyof SqlHistoryOptions, OptionRow>>;

const FILTER = {
  jobName: { rule: text() },
  taskId: { rule: text() },
  from: { rule: instant },
  to: { rule: instant },
} as const satisfies Readonly<Record<keyof TraceFilter, OptionRow>>;

const RUN_FILTER = {
  ...FILTER,
  isSuccess: { rule: flag() },
  isComplete: { rule: flag() },
  runningAt: { rule: instant },
  shardingItem: { rule: wholeFrom(0) },
  source: { rule: oneOf(['NORMAL_TRIGGER', 'MISFIRE', 'FAILOVER']) },
} as const satisfies Readonly<Record<keyof ExecutionFilter, OptionRow>>;

const PAGE = {
  limit: { rule: wholeNumber({ from: 1, to: MOST_ROWS }) },
  cursor: { rule: text('the cursor of a page') },
} as const satisfies Readonly<Record<keyof TracePageQuery, OptionRow>>;

/** Options of `SqlHistory`. */
export const HISTORY_TABLE = new OptionTable(HISTORY, 'the history');
/** Options of its queries, by method. */
export const QUERY_TABLES = {
  countExecutions: new OptionTable(RUN_FILTER, 'the filter'),
  countStatuses: new OptionTable(FILTER, 'the filter'),
  executions: new OptionTable(
    { ...RUN_FILTER, ...PAGE } satisfies Readonly<Record<keyof ExecutionQuery, OptionRow>>,
    'the query',
  ),
  statuses: new OptionTable(
    { ...FILTER, ...PAGE } satisfies Readonly<Record<keyof TraceQuery, OptionRow>>,
    'the query',
  ),
};
