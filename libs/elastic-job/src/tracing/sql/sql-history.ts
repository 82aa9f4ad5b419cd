import type { Kysely } from 'kysely';
import { ConfigurationError, type JobName, show } from '../../domain/index.js';
import type { JobEventSink, SinkHost, TracingStoreStatus } from '../event-sinks.js';
import type { JobEvent } from '../job-event.js';
import { asTraceDb, fitting } from './trace-row.js';
import { RowSource, WIDTH } from './row-source.js';
import { StatRecorder } from './stat-recorder.js';
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
  TracePageQuery,
  TraceQuery,
} from '../trace-query.js';
import type {
  DoubleRun,
  EventFilter,
  EventQuery,
  FireTimesAnswer,
  FireTimesQuery,
  JobHistory,
  JobHistoryEvent,
  JobPulse,
  JobRun,
  JobRunDetail,
  MissedFireTimes,
  RunFilter,
  RunQuery,
  StatisticsBucket,
  StatisticsQuery,
} from '../job-history.js';
import { JobHistoryReader } from './reading/job-history-reader.js';
import { HISTORY_TABLE, type SqlHistoryOptions } from './sql-history-options.js';
import { TraceReader } from './trace-reader.js';
import { TraceRecorder } from './trace-recorder.js';
import { TraceRetention } from './trace-retention.js';
import { TraceStore } from './trace-store.js';
import { TraceWriter } from './trace-writer.js';
import { WriterThread } from './thread/writer-thread.js';

export type { TraceDialectName } from './trace-dialect.js';

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
export class SqlHistory<Database> implements JobEventSink, RunHistory, JobHistory {
  readonly name: string;
  private readonly options: SqlHistoryOptions;
  private readonly dialect: TraceDialectName;
  private readonly store: TraceStore;
  private readonly reader: TraceReader;
  private readonly answers: JobHistoryReader;
  private parts: HistoryParts | undefined;
  private isStarted = false;

  /** @throws {ConfigurationError} for wrong and unknown options, and for an unknown dialect */
  constructor(db: Kysely<Database>, options: SqlHistoryOptions = {}) {
    this.options = HISTORY_TABLE.checked('SqlHistory', options);
    this.name = this.options.name ?? 'sql';
    this.dialect = this.options.dialect ?? knownDialectOf(db);
    this.store = new TraceStore(asTraceDb(db), traceDialect(this.dialect));
    this.reader = new TraceReader(this.store);
    this.answers = new JobHistoryReader(this.store);
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
   * @throws {ConfigurationError} for wrong and unknown options of the query
   * @throws {MissingHistoryTableError} if the tables do not exist yet
   * @throws {StuckConnectionError} if the connection is one of SQLite, and commits nothing
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
   * @throws {ConfigurationError} for wrong and unknown options of the filter
   * @throws {MissingHistoryTableError} if the tables do not exist yet
   * @throws {StuckConnectionError} if the connection is one of SQLite, and commits nothing
   * @throws any other error of the driver
   */
  countExecutions(filter: ExecutionFilter = {}): Promise<ExecutionCount> {
    return this.reader.countExecutions(filter);
  }

  /** Number of rows of `statuses`. @see countExecutions */
  countStatuses(filter: TraceFilter = {}): Promise<number> {
    return this.reader.countStatuses(filter);
  }

  /**
   * Runs of items with their fire times, the newest first, in pages. A page whose filter no index serves looks at
   * 10,000 rows of a table: it may have fewer rows than its limit, or none, and a cursor that goes on.
   * @throws {ConfigurationError} for wrong and unknown options of the query
   * @throws {MissingHistoryTableError} if the tables do not exist yet
   * @throws {StuckConnectionError} if the connection is one of SQLite, and commits nothing
   * @throws any other error of the driver
   */
  runs(query: RunQuery = {}): Promise<TracePage<JobRun>> {
    return this.answers.runs(query);
  }

  /** A run with what happened around it; undefined if there is no such run. @see runs */
  run(id: string): Promise<JobRunDetail | undefined> {
    return this.answers.run(id);
  }

  /** Events that were kept, the newest first, in pages. @see runs */
  events(query: EventQuery = {}): Promise<TracePage<JobHistoryEvent>> {
    return this.answers.events(query);
  }

  /** Fire times that were not begun, the newest first, in pages. @see runs */
  missed(query: EventFilter & TracePageQuery = {}): Promise<TracePage<MissedFireTimes>> {
    return this.answers.missed(query);
  }

  /** Fates of all items at the fire times of a window. @see runs */
  fireTimes(query: FireTimesQuery): Promise<FireTimesAnswer> {
    return this.answers.fireTimes(query);
  }

  /** Targets that have succeeded more than once, among the 20,000 newest runs that the filter selects. @see runs */
  doubles(
    query: Omit<RunFilter, 'outcome' | 'source'> & { readonly limit?: number } = {},
  ): Promise<readonly DoubleRun[]> {
    return this.answers.doubles(query);
  }

  /** How jobs have done lately. @see runs */
  pulses(query: { readonly jobNames: readonly JobName[]; readonly fireTimes?: number }): Promise<readonly JobPulse[]> {
    return this.answers.pulses(query);
  }

  /** Counts and percentiles of spans of time. @see runs */
  statistics(query: StatisticsQuery): Promise<readonly StatisticsBucket[]> {
    return this.answers.statistics(query);
  }

  /** @throws {ConfigurationError} if another application uses this history */
  start({ clock, emit, version, tokenEpoch }: SinkHost): void {
    const { name: sink, store } = this;
    if (this.isStarted) {
      throw new ConfigurationError('SqlHistory', [`"${sink}" is given to two applications; make one for each`]);
    }
    this.isStarted = true;
    const { keepDays, keepRows, queueRows = 20_000, gatherMs = 200 } = this.options;
    const onDropped = (count: number, since?: number) => emit({ kind: 'history-dropped', sink, count, since });
    const onError = (message: string, error: unknown) =>
      emit({ kind: 'error', jobName: undefined, message: `history "${sink}": ${message}`, error });
    const thread = this.threadOf(onError);
    const writer = new TraceWriter({ store: thread ?? store, clock, queueRows, gatherMs, onDropped, onError });
    const rows = new RowSource(clock);
    const facts = {
      version: version === undefined ? null : fitting(version, WIDTH.version),
      epoch: tokenEpoch ?? null,
    };
    this.parts = {
      recorder: new TraceRecorder(rows, facts),
      sums: new StatRecorder({ rows, clock, offer: (made) => writer.offer(made) }),
      thread,
      writer,
      retention: new TraceRetention({ store, clock, keepDays, keepRows, onError }),
    };
    this.parts.writer.start();
    this.parts.retention.start();
  }

  hear(event: JobEvent): void {
    if (this.parts === undefined) return;
    const { recorder, sums, writer } = this.parts;
    const made = recorder.rowsOf(event);
    writer.offer(made);
    sums.hear(event, made);
  }

  async stop(signal: AbortSignal): Promise<void> {
    this.parts?.retention.stop();
    this.parts?.sums.stop();
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
  readonly sums: StatRecorder;
  readonly thread: WriterThread | undefined;
  readonly writer: TraceWriter;
  readonly retention: TraceRetention;
}

function knownDialectOf<Database>(db: Kysely<Database>): TraceDialectName {
  const dialect = dialectOf(db);
  if (dialect !== undefined) return dialect;
  throw new ConfigurationError('SqlHistory', [
    `dialect must be ${TRACE_DIALECTS.map(show).join(', ')}; give it, since this Kysely has an unknown one`,
  ]);
}
