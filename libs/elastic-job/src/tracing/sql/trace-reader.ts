import { type Expression, type ExpressionBuilder, sql, type SqlBool } from 'kysely';
import { ConfigurationError, isMissingTable, show } from '../../domain/index.js';
import type {
  ExecutionCount,
  ExecutionFilter,
  ExecutionQuery,
  ExecutionTrace,
  StatusTrace,
  TraceFilter,
  TracePage,
  TraceQuery,
} from '../trace-query.js';
import { MissingHistoryTableError } from './history.errors.js';
import { QUERY_TABLES } from './sql-history-options.js';
import type { TraceDialect } from './trace-dialect.js';
import type { StoredTime, TraceDatabase } from './trace-row.js';
import type { TraceStore } from './trace-store.js';

/** Last row of a page: its time in milliseconds since the epoch, and its id. */
type Position = readonly [time: number, id: string];

/** Reads the history in pages, the newest rows first; rows that are written meanwhile do not shift the pages. */
export class TraceReader {
  constructor(private readonly store: TraceStore) {}

  /**
   * @throws {ConfigurationError} for wrong and unknown options of the query
   * @throws {MissingHistoryTableError}
   * @throws any other error of the driver
   */
  async executions(given: ExecutionQuery): Promise<TracePage<ExecutionTrace>> {
    const query = QUERY_TABLES.executions.checked('SqlHistory.executions', given);
    const { dialect } = this.store;
    const db = await this.store.connection();
    const { limit, after } = pageOf(query);
    let select = db
      .selectFrom('jobExecutionLog')
      .select(['id', 'jobName', 'taskId', 'hostname', 'ip', 'shardingItem', 'executionSource'])
      .select(['failureCause', 'isSuccess', 'startTime', 'completeTime'])
      .where(executionConditions(query, dialect));
    if (after !== undefined) select = select.where(this.isBehind('startTime', after));
    const found = await select
      .orderBy('startTime', 'desc')
      .orderBy('id', 'desc')
      .limit(limit + 1)
      .execute()
      .catch((error: unknown) => rethrow('JOB_EXECUTION_LOG', error));
    const rows = found.map(({ startTime, completeTime, executionSource, failureCause, ...row }): ExecutionTrace => ({
      ...row,
      source: executionSource,
      isSuccess: isTrue(row.isSuccess),
      failureCause: failureCause ?? undefined,
      startTime: dateOf(startTime!),
      completeTime: completeTime === null ? undefined : dateOf(completeTime),
    }));
    return page(rows, limit, ({ startTime, id }) => [startTime.getTime(), id]);
  }

  /**
   * @throws {ConfigurationError} for wrong and unknown options of the query
   * @throws {MissingHistoryTableError}
   * @throws any other error of the driver
   */
  async statuses(given: TraceQuery): Promise<TracePage<StatusTrace>> {
    const query = QUERY_TABLES.statuses.checked('SqlHistory.statuses', given);
    const { dialect } = this.store;
    const db = await this.store.connection();
    const { limit, after } = pageOf(query);
    let select = db
      .selectFrom('jobStatusTraceLog')
      .select(['id', 'jobName', 'taskId', 'slaveId', 'shardingItem', 'state', 'message', 'creationTime'])
      .where(statusConditions(query, dialect));
    if (after !== undefined) select = select.where(this.isBehind('creationTime', after));
    const found = await select
      .orderBy('creationTime', 'desc')
      .orderBy('id', 'desc')
      .limit(limit + 1)
      .execute()
      .catch((error: unknown) => rethrow('JOB_STATUS_TRACE_LOG', error));
    const rows = found.map(({ creationTime, message, ...row }): StatusTrace => ({
      ...row,
      message: message ?? '',
      creationTime: dateOf(creationTime!),
    }));
    return page(rows, limit, ({ creationTime, id }) => [creationTime.getTime(), id]);
  }

  /** @throws {MissingHistoryTableError} @throws any other error of the driver */
  async countExecutions(given: ExecutionFilter): Promise<ExecutionCount> {
    const filter = QUERY_TABLES.countExecutions.checked('SqlHistory.countExecutions', given);
    const { dialect } = this.store;
    const db = await this.store.connection();
    const { executions, jobs } = await db
      .selectFrom('jobExecutionLog')
      .select(({ fn }) => [fn.countAll().as('executions'), fn.count('jobName').distinct().as('jobs')])
      .where(executionConditions(filter, dialect))
      .executeTakeFirstOrThrow()
      .catch((error: unknown) => rethrow('JOB_EXECUTION_LOG', error));
    // PostgreSQL's driver returns a count as text.
    return { executions: Number(executions), jobs: Number(jobs) };
  }

  /** @throws {MissingHistoryTableError} @throws any other error of the driver */
  async countStatuses(given: TraceFilter): Promise<number> {
    const filter = QUERY_TABLES.countStatuses.checked('SqlHistory.countStatuses', given);
    const { dialect } = this.store;
    const db = await this.store.connection();
    const { rows } = await db
      .selectFrom('jobStatusTraceLog')
      .select(({ fn }) => fn.countAll().as('rows'))
      .where(statusConditions(filter, dialect))
      .executeTakeFirstOrThrow()
      .catch((error: unknown) => rethrow('JOB_STATUS_TRACE_LOG', error));
    return Number(rows);
  }

  private isBehind(column: 'startTime' | 'creationTime', [ms, id]: Position) {
    const [name, time] = [sql.ref(column), this.store.dialect.time(ms)];
    return sql<boolean>`(${name} < ${time} or (${name} = ${time} and id < ${id}))`;
  }
}

function page<Row>(found: readonly Row[], limit: number, positionOf: (row: Row) => Position): TracePage<Row> {
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  return { rows, cursor: last && Buffer.from(JSON.stringify(positionOf(last))).toString('base64url') };
}

function pageOf({ limit = 100, cursor }: TraceQuery): { readonly limit: number; readonly after: Position | undefined } {
  const after = cursor === undefined ? undefined : parseCursor(cursor);
  if (cursor !== undefined && after === undefined)
    throw new ConfigurationError('SqlHistory', [`cursor must be the cursor of a page, but is ${show(cursor)}`]);
  return { limit, after };
}

function parseCursor(cursor: string): Position | undefined {
  try {
    const [time, id, ...rest]: unknown[] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return typeof time === 'number' && typeof id === 'string' && rest.length === 0 ? [time, id] : undefined;
  } catch {
    return undefined;
  }
}

/** @param flag a BIT, as ElasticJob's console creates it in MySQL, comes as bytes */
function isTrue(flag: boolean | number | Uint8Array): boolean {
  return flag instanceof Uint8Array ? flag.some((byte) => byte !== 0) : Boolean(flag);
}

function dateOf(time: StoredTime): Date {
  return new Date(time);
}

function rethrow(table: string, error: unknown): never {
  throw isMissingTable(error) ? new MissingHistoryTableError(table, { cause: error }) : error;
}

/** Condition of a query for rows of `JOB_EXECUTION_LOG`. */
function executionConditions(query: ExecutionFilter, dialect: TraceDialect) {
  const { from, isComplete, isSuccess, jobName, runningAt, shardingItem, source, taskId, to } = query;
  return (eb: ExpressionBuilder<TraceDatabase, 'jobExecutionLog'>): Expression<SqlBool> => {
    const conditions = [eb('startTime', 'is not', null)];
    if (jobName !== undefined) conditions.push(eb('jobName', '=', jobName));
    if (taskId !== undefined) conditions.push(eb('taskId', '=', taskId));
    if (from !== undefined) conditions.push(eb('startTime', '>=', dialect.time(from.getTime())));
    if (to !== undefined) conditions.push(eb('startTime', '<', dialect.time(to.getTime())));
    if (isSuccess !== undefined) conditions.push(eb('isSuccess', '=', dialect.flag(isSuccess)));
    if (isComplete !== undefined) conditions.push(eb('completeTime', isComplete ? 'is not' : 'is', null));
    if (shardingItem !== undefined) conditions.push(eb('shardingItem', '=', shardingItem));
    if (source !== undefined) conditions.push(eb('executionSource', '=', source));
    if (runningAt === undefined) return eb.and(conditions);
    const at = dialect.time(runningAt.getTime());
    const isOpen = eb.or([eb('completeTime', 'is', null), eb('completeTime', '>', at)]);
    return eb.and([...conditions, eb('startTime', '<=', at), isOpen]);
  };
}

/** Condition of a query for rows of `JOB_STATUS_TRACE_LOG`. */
function statusConditions({ from, jobName, taskId, to }: TraceFilter, dialect: TraceDialect) {
  return (eb: ExpressionBuilder<TraceDatabase, 'jobStatusTraceLog'>): Expression<SqlBool> => {
    const conditions = [eb('creationTime', 'is not', null)];
    if (jobName !== undefined) conditions.push(eb('jobName', '=', jobName));
    if (taskId !== undefined) conditions.push(eb('taskId', '=', taskId));
    if (from !== undefined) conditions.push(eb('creationTime', '>=', dialect.time(from.getTime())));
    if (to !== undefined) conditions.push(eb('creationTime', '<', dialect.time(to.getTime())));
    return eb.and(conditions);
  };
}
