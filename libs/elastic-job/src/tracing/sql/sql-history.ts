import { existsSync } from 'node:fs';
import type { Kysely } from 'kysely';
import { ConfigurationError, show } from '../../domain/index.js';
import type { JobEventSink, SinkHost } from '../event-sink.js';
import type { JobEvent } from '../job-event.js';
import type { TracingStoreStatus } from '../tracing-store.js';
import { asTraceDb } from './trace-database.js';
import { dialectOf, TRACE_DIALECTS, traceDialect, type TraceDialectName } from './trace-dialect.js';
import type {
  ExecutionCount,
  ExecutionFilter,
  ExecutionQuery,
  ExecutionTrace,
  RunHistory,
  StatusTrace,
  TraceFilter,
  TracePage,
  TraceQuery,
} from '../trace-query.js';
import { TraceReader } from './trace-reader.js';
import { TraceRecorder } from './trace-recorder.js';
import { TraceRetention } from './trace-retention.js';
import { TraceStore } from './trace-store.js';
import { TraceWriter } from './trace-writer.js';
import { WriterThread } from './thread/writer-thread.js';

export type { TraceDialectName } from './trace-dialect.js';

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
   * export const createDialect = () => new SqliteDialect({ database: new Database('history.db') });
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

/**
 * Keeps the history of runs in the user's database, in ElasticJob's tables. Add it to the module's `tracing`:
 *
 * ```ts
 * ElasticJobModule.forRoot({ registry, tracing: [new SqlHistory(db, { keepDays: 30 })] })
 * ```
 *
 * The Kysely belongs to the user: it is never closed here. It is used until the module has stopped, before any provider
 * of the application is destroyed. Its plugins do not apply, so the schema is the connection's own.
 *
 * A `Pool` of pg needs two `error` listeners, as in any application, or the loss of the server ends the process: one on
 * the pool for idle connections, and one on each client for connections in use.
 *
 * ```ts
 * pool.on('error', onError).on('connect', (client) => client.on('error', onError));
 * ```
 * @see node-postgres, "Events" of `pg.Pool` and of `pg.Client`
 */
export class SqlHistory<Database> implements JobEventSink, RunHistory {
  readonly name: string;
  private readonly options: SqlHistoryOptions;
  private readonly dialect: TraceDialectName;
  private readonly store: TraceStore;
  private readonly reader: TraceReader;
  private parts: HistoryParts | undefined;
  private isStarted = false;

  /** @throws {ConfigurationError} for wrong options, and for an unknown dialect */
  constructor(db: Kysely<Database>, options: SqlHistoryOptions = {}) {
    const dialect = options.dialect ?? dialectOf(db);
    const problems = problemsOf({ ...options, dialect });
    if (problems.length > 0) throw new ConfigurationError('SqlHistory', problems);
    this.options = options;
    this.name = options.name ?? 'sql';
    this.dialect = dialect!;
    this.store = new TraceStore(asTraceDb(db), traceDialect(this.dialect));
    this.reader = new TraceReader(this.store);
  }

  get status(): TracingStoreStatus {
    const { queued = 0, dropped = 0, failingSince } = this.parts?.writer ?? {};
    return { queuedRows: queued, droppedRows: dropped, failingSince };
  }

  /**
   * Creates or changes the tables, once. The first write does so as well, so this is for applications that only read.
   * @throws the driver's error
   */
  migrate(): Promise<void> {
    return this.store.open();
  }

  /**
   * The runs of items, the newest first, in pages.
   * @throws {ConfigurationError} for a wrong limit or cursor
   * @throws {MissingHistoryTableError} if the tables do not exist yet
   * @throws any other error of the driver
   */
  executions(query: ExecutionQuery = {}): Promise<TracePage<ExecutionTrace>> {
    return this.reader.executions(query);
  }

  /** The states of runs of an instance's items together. @see executions */
  statuses(query: TraceQuery = {}): Promise<TracePage<StatusTrace>> {
    return this.reader.statuses(query);
  }

  /**
   * Number of runs of items, and of their jobs.
   * @throws {MissingHistoryTableError} if the tables do not exist yet
   * @throws any other error of the driver
   */
  countExecutions(filter: ExecutionFilter = {}): Promise<ExecutionCount> {
    return this.reader.countExecutions(filter);
  }

  /** Number of rows of `statuses`. @see countExecutions */
  countStatuses(filter: TraceFilter = {}): Promise<number> {
    return this.reader.countStatuses(filter);
  }

  /** @throws {ConfigurationError} if another application uses this history */
  start({ clock, emit }: SinkHost): void {
    const { name: sink, store } = this;
    if (this.isStarted) {
      throw new ConfigurationError('SqlHistory', [`"${sink}" is given to two applications; make one for each`]);
    }
    this.isStarted = true;
    const { keepDays, keepRows, queueRows = 10_000, gatherMs = 200 } = this.options;
    const onDropped = (count: number) => emit({ kind: 'history-dropped', sink, count });
    const onError = (message: string, error: unknown) =>
      emit({ kind: 'error', jobName: undefined, message: `history "${sink}": ${message}`, error });
    const thread = this.threadOf(onError);
    this.parts = {
      recorder: new TraceRecorder(clock),
      thread,
      writer: new TraceWriter({ store: thread ?? store, clock, queueRows, gatherMs, onDropped, onError }),
      retention: new TraceRetention({ store, clock, keepDays, keepRows, onError }),
    };
    this.parts.writer.start();
    this.parts.retention.start();
  }

  hear(event: JobEvent): void {
    if (this.parts === undefined) return;
    const { recorder, writer } = this.parts;
    writer.offer(recorder.rowsOf(event));
  }

  async stop(signal: AbortSignal): Promise<void> {
    this.parts?.retention.stop();
    await this.parts?.writer.stop(signal);
    await this.parts?.thread?.close(signal);
    this.isStarted = false;
  }

  private threadOf(onError: (message: string, error: unknown) => void): WriterThread | undefined {
    const { dialect, store } = this;
    const { dialectModule, threadUrl } = this.options;
    if (dialectModule === undefined) return undefined;
    const settings = { dialectModule: dialectModule.href, dialect };
    const onDeath = (error: Error) => onError('the writer thread has died; another one goes on', error);
    return new WriterThread({ store, settings, entry: threadUrl, onDeath });
  }
}

interface HistoryParts {
  readonly recorder: TraceRecorder;
  readonly thread: WriterThread | undefined;
  readonly writer: TraceWriter;
  readonly retention: TraceRetention;
}

function problemsOf({ name, dialect, ...options }: SqlHistoryOptions): string[] {
  const { keepDays, keepRows, queueRows, gatherMs, dialectModule, threadUrl } = options;
  const isNamed = name === undefined || (typeof name === 'string' && name !== '');
  return [
    isNamed || `name (given as ${show(name)}) must be a text`,
    (dialect !== undefined && TRACE_DIALECTS.includes(dialect)) ||
      `dialect (given as ${show(dialect)}) must be ${TRACE_DIALECTS.map(show).join(', ')}; ` +
        'give it, since this Kysely has an unknown one',
    isWhole(keepDays, 1) || `keepDays (given as ${show(keepDays)}) must be a whole number from 1`,
    isWhole(keepRows, 1) || `keepRows (given as ${show(keepRows)}) must be a whole number from 1`,
    isWhole(queueRows, 1_000) || `queueRows (given as ${show(queueRows)}) must be a whole number from 1000`,
    isWhole(gatherMs, 0) || `gatherMs (given as ${show(gatherMs)}) must be a whole number from 0`,
    fileProblem('dialectModule', dialectModule),
    fileProblem('threadUrl', threadUrl),
  ].filter((problem) => typeof problem === 'string');
}

function fileProblem(option: string, url: URL | undefined): string | true {
  if (url === undefined || (url instanceof URL && url.protocol === 'file:' && existsSync(url))) return true;
  return `${option} (given as ${show(String(url))}) must be the URL of an existing file`;
}

function isWhole(value: unknown, from: number): boolean {
  return value === undefined || (typeof value === 'number' && Number.isSafeInteger(value) && value >= from);
}
