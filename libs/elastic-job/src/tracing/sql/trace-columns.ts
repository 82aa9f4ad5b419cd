import type { RawBuilder } from 'kysely';
import type { AttemptRow, EventRow, RunRow, StatRow } from './own-row.js';
import { type InsertColumn, RowInsert } from './row-insert.js';
import type { TraceDialect } from './trace-dialect.js';
import type { ExecutionRow, StatusRow, TraceDatabase, TraceRow } from './trace-row.js';

/**
 * Most rows of one write: at most 4,000 parameters and about 3 MB of texts, which every database accepts.
 * @see SQLite, "Limits": 32,766 parameters; PostgreSQL and MySQL: 65,535; MariaDB, `max_allowed_packet`: 16 MB
 */
export const MOST_ROWS = 400;

/** Each table, and the column of its time. */
export const NAMES = {
  jobExecutionLog: ['JOB_EXECUTION_LOG', 'start_time'],
  jobStatusTraceLog: ['JOB_STATUS_TRACE_LOG', 'creation_time'],
  elasticJobRun: ['ELASTIC_JOB_RUN', 'begun_at'],
  elasticJobAttempt: ['ELASTIC_JOB_ATTEMPT', 'started_at'],
  elasticJobEvent: ['ELASTIC_JOB_EVENT', 'told_at'],
  elasticJobStat: ['ELASTIC_JOB_STAT', 'since_at'],
} as const satisfies Readonly<Record<keyof TraceDatabase, readonly [table: string, time: string]>>;

export const JAVA_TABLES = ['jobExecutionLog', 'jobStatusTraceLog'] as const satisfies readonly (keyof TraceDatabase)[];

type RowOf<Kind extends TraceRow['table']> = Extract<TraceRow, { table: Kind }>;

/** The statement that writes rows of each kind. Rows may come again, and their versions in any order. */
export type RowInserts = { readonly [Kind in TraceRow['table']]: RowInsert<RowOf<Kind>> };

export function rowInserts(dialect: TraceDialect): RowInserts {
  const insert = <Row>(
    table: keyof TraceDatabase,
    columns: readonly InsertColumn<Row>[],
    end: RawBuilder<unknown> = dialect.orKeep,
  ) => new RowInsert<Row>(NAMES[table][0], columns, end, MOST_ROWS);
  const orReplace = (...replacing: Replacing) => dialect.orReplace(...replacing);
  return {
    execution: insert('jobExecutionLog', executionColumns(dialect), orReplace(...COMPLETED)),
    status: insert('jobStatusTraceLog', statusColumns(dialect)),
    run: insert('elasticJobRun', RUN_COLUMNS, orReplace(...LATER_RUN)),
    attempt: insert('elasticJobAttempt', ATTEMPT_COLUMNS, orReplace(...ENDED)),
    event: insert('elasticJobEvent', EVENT_COLUMNS, orReplace(...LATER_EVENT)),
    stat: insert('elasticJobStat', STAT_COLUMNS, orReplace(...LARGER)),
  };
}

/** The columns that a row with an existing id changes, and when. See `orReplace` for their order. */
type Replacing = Parameters<TraceDialect['orReplace']>;

const COMPLETED: Replacing = [
  'JOB_EXECUTION_LOG',
  ['is_success', 'failure_cause', 'complete_time'],
  (given) => `${given('complete_time')} is not null`,
];

const LATER_RUN: Replacing = [
  'ELASTIC_JOB_RUN',
  ['outcome', 'cause', 'started_at', 'lateness_ms', 'attempts', 'settled_at'],
  (given, kept) =>
    `${given('settled_at')} is not null or ` +
    `(${kept('settled_at')} is null and ${given('attempts')} >= ${kept('attempts')})`,
];

const ENDED: Replacing = ['ELASTIC_JOB_ATTEMPT', ['error', 'ended_at'], (given) => `${given('ended_at')} is not null`];

const LATER_EVENT: Replacing = [
  'ELASTIC_JOB_EVENT',
  ['since_at', 'detail', 'told_at'],
  (given, kept) => `${given('told_at')} >= ${kept('told_at')}`,
];

const TOTALS = ['succeeded', 'failed', 'aborted', 'retried', 'failed_over', 'missed'] as const;

const LARGER: Replacing = [
  'ELASTIC_JOB_STAT',
  ['duration_ms', 'longest_ms', 'latest_ms', 'durations', 'latenesses', ...TOTALS],
  (given, kept) => `${TOTALS.map(given).join(' + ')} >= ${TOTALS.map(kept).join(' + ')}`,
];

/** The written columns of `JOB_EXECUTION_LOG`. */
function executionColumns(dialect: TraceDialect): readonly InsertColumn<ExecutionRow>[] {
  return [
    { name: 'id', of: ({ id }) => id },
    { name: 'job_name', of: ({ jobName }) => jobName },
    { name: 'task_id', of: ({ taskId }) => taskId },
    { name: 'hostname', of: ({ hostname }) => hostname },
    { name: 'ip', of: ({ ip }) => ip },
    { name: 'sharding_item', of: ({ shardingItem }) => shardingItem },
    { name: 'execution_source', of: ({ executionSource }) => executionSource },
    { name: 'failure_cause', of: ({ failureCause }) => failureCause },
    { name: 'is_success', of: ({ isSuccess }) => dialect.flag(isSuccess) },
    { name: 'start_time', of: ({ startTime }) => dialect.time(startTime) },
    { name: 'complete_time', of: ({ completeTime }) => (completeTime === null ? null : dialect.time(completeTime)) },
  ];
}

/** The written columns of `JOB_STATUS_TRACE_LOG`. */
function statusColumns(dialect: TraceDialect): readonly InsertColumn<StatusRow>[] {
  return [
    { name: 'id', of: ({ id }) => id },
    { name: 'job_name', of: ({ jobName }) => jobName },
    // Empty for every job outside of ElasticJob's Cloud.
    { name: 'original_task_id', always: "''" },
    { name: 'task_id', of: ({ taskId }) => taskId },
    { name: 'slave_id', of: ({ slaveId }) => slaveId },
    { name: 'source', always: "'LITE_EXECUTOR'" },
    { name: 'execution_type', always: "'READY'" },
    { name: 'sharding_item', of: ({ shardingItem }) => shardingItem },
    { name: 'state', of: ({ state }) => state },
    { name: 'message', of: ({ message }) => message },
    { name: 'creation_time', of: ({ creationTime }) => dialect.time(creationTime) },
  ];
}

const RUN_COLUMNS: readonly InsertColumn<RunRow>[] = [
  { name: 'id', of: ({ id }) => id },
  { name: 'job_name', of: ({ jobName }) => jobName },
  { name: 'sharding_item', of: ({ shardingItem }) => shardingItem },
  { name: 'fire_time', of: ({ fireTime }) => fireTime },
  { name: 'origin', of: ({ origin }) => origin },
  { name: 'source', of: ({ source }) => source },
  { name: 'outcome', of: ({ outcome }) => outcome },
  { name: 'cause', of: ({ cause }) => cause },
  { name: 'run', of: ({ run }) => run },
  { name: 'token', of: ({ token }) => token },
  { name: 'epoch', of: ({ epoch }) => epoch },
  { name: 'instance', of: ({ instance }) => instance },
  { name: 'version', of: ({ version }) => version },
  { name: 'task_id', of: ({ taskId }) => taskId },
  { name: 'launch', of: ({ launch }) => launch },
  { name: 'begun_at', of: ({ begunAt }) => begunAt },
  { name: 'started_at', of: ({ startedAt }) => startedAt },
  { name: 'settled_at', of: ({ settledAt }) => settledAt },
  { name: 'lateness_ms', of: ({ latenessMs }) => latenessMs },
  { name: 'attempts', of: ({ attempts }) => attempts },
];

const ATTEMPT_COLUMNS: readonly InsertColumn<AttemptRow>[] = [
  { name: 'id', of: ({ id }) => id },
  { name: 'run_id', of: ({ runId }) => runId },
  { name: 'job_name', of: ({ jobName }) => jobName },
  { name: 'sharding_item', of: ({ shardingItem }) => shardingItem },
  { name: 'attempt', of: ({ attempt }) => attempt },
  { name: 'started_at', of: ({ startedAt }) => startedAt },
  { name: 'ended_at', of: ({ endedAt }) => endedAt },
  { name: 'error', of: ({ error }) => error },
];

const EVENT_COLUMNS: readonly InsertColumn<EventRow>[] = [
  { name: 'id', of: ({ id }) => id },
  { name: 'job_name', of: ({ jobName }) => jobName },
  { name: 'kind', of: ({ kind }) => kind },
  { name: 'told_at', of: ({ toldAt }) => toldAt },
  { name: 'items', of: ({ items }) => items },
  { name: 'fire_time', of: ({ fireTime }) => fireTime },
  { name: 'since_at', of: ({ sinceAt }) => sinceAt },
  { name: 'instance', of: ({ instance }) => instance },
  { name: 'detail', of: ({ detail }) => detail },
];

const STAT_COLUMNS: readonly InsertColumn<StatRow>[] = [
  { name: 'id', of: ({ id }) => id },
  { name: 'job_name', of: ({ jobName }) => jobName },
  { name: 'writer', of: ({ writer }) => writer },
  { name: 'since_at', of: ({ sinceAt }) => sinceAt },
  { name: 'succeeded', of: ({ succeeded }) => succeeded },
  { name: 'failed', of: ({ failed }) => failed },
  { name: 'aborted', of: ({ aborted }) => aborted },
  { name: 'retried', of: ({ retried }) => retried },
  { name: 'failed_over', of: ({ failedOver }) => failedOver },
  { name: 'missed', of: ({ missed }) => missed },
  { name: 'duration_ms', of: ({ durationMs }) => durationMs },
  { name: 'longest_ms', of: ({ longestMs }) => longestMs },
  { name: 'latest_ms', of: ({ latestMs }) => latestMs },
  { name: 'durations', of: ({ durations }) => durations },
  { name: 'latenesses', of: ({ latenesses }) => latenesses },
];
