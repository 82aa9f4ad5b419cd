import { type Selectable, sql, type SqlBool } from 'kysely';
import { beginsWithHandOver, ID_DELIMITER, type TriggerOrigin } from '../../../domain/index.js';
import type { JobRun, RunFilter, RunOutcome } from '../../job-history.js';
import type { StoredNumber } from '../own-row.js';
import type { TraceDialect } from '../trace-dialect.js';
import type { StoredTime, TraceDatabase, TraceDb } from '../trace-row.js';
import { all, begins, type Condition, isText, literally, type TimedTable } from './paged-scan.js';

/** Runs of our own table. */
export const OWN_RUNS: TimedTable = {
  table: 'elasticJobRun',
  time: 'begunAt',
  value: (ms) => ms,
  instant: Number,
};

/** Runs of ElasticJob's table. */
export function loggedRuns(dialect: TraceDialect): TimedTable {
  return {
    table: 'jobExecutionLog',
    time: 'startTime',
    value: (ms) => dialect.time(ms),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a driver's value for a TIMESTAMP
    instant: (value) => new Date(value as StoredTime).getTime(),
  };
}

const own = 'elasticJobRun';
const log = 'jobExecutionLog';
const SAME_ITEM = (earlier: string): Condition =>
  sql`${sql.ref('later.jobName')} = ${sql.ref(`${earlier}.jobName`)}
    and ${sql.ref('later.shardingItem')} = ${sql.ref(`${earlier}.shardingItem`)}`;
const LOGGED_LATER = (earlier: string): Condition => sql`exists (
  select 1 from ${sql.table(log)} as ${sql.ref('later')}
  where ${SAME_ITEM(earlier)} and ${sql.ref('later.startTime')} > ${sql.ref(`${earlier}.startTime`)})`;

/** A later run of the item has begun, of ours or of others: each of ours has a row in both tables once it is called. */
export const IS_PASSED: Condition = sql`(exists (
    select 1 from ${sql.table(own)} as ${sql.ref('later')}
    where ${SAME_ITEM(own)} and ${sql.ref('later.begunAt')} > ${sql.ref(`${own}.begunAt`)})
  or exists (
    select 1 from ${sql.table(log)} as ${sql.ref('logged')}
    where ${sql.ref('logged.id')} = ${sql.ref(`${own}.id`)} and ${LOGGED_LATER('logged')}))`;
const IS_LOGGED_PASSED = LOGGED_LATER(log);

/** The item's number says nothing without the job. */
type Scope = Pick<RunFilter, 'jobName' | 'shardingItem'>;

/** Conditions for which an index of either table selects, in the order of time. */
export function scopeOf(dialect: TraceDialect, { jobName, shardingItem }: Scope): Condition[] {
  const conditions: Condition[] = [];
  if (jobName !== undefined) conditions.push(isText(dialect, 'jobName', jobName));
  if (shardingItem !== undefined) conditions.push(sql`${sql.ref('shardingItem')} = ${shardingItem}`);
  return conditions;
}

/** All other conditions for runs of our table. */
export function ownConditions(dialect: TraceDialect, filter: RunFilter): Condition[] {
  const { fireTime, instance, jobPrefix, origin, outcome, source, version } = filter;
  const conditions: Condition[] = [];
  if (jobPrefix !== undefined) conditions.push(begins(dialect, 'jobName', jobPrefix));
  if (fireTime !== undefined) conditions.push(sql`${sql.ref('fireTime')} = ${fireTime}`);
  if (origin === 'manual' || origin === 'rerun') conditions.push(begins(dialect, 'origin', `${origin}:`));
  else if (origin !== undefined) conditions.push(isText(dialect, 'origin', origin));
  if (source !== undefined) conditions.push(sql`${sql.ref('source')} = ${source}`);
  if (outcome !== undefined) conditions.push(ownOutcome(outcome));
  if (instance !== undefined) conditions.push(isText(dialect, 'instance', instance));
  if (version !== undefined) conditions.push(isText(dialect, 'version', version));
  return conditions;
}

function ownOutcome(outcome: RunOutcome): Condition {
  const column = sql.ref('outcome');
  if (outcome === 'running') return sql`(${column} is null and not ${IS_PASSED})`;
  if (outcome === 'lost') return sql`(${column} is null and ${IS_PASSED})`;
  // Written out, since an index of a part of the rows is used only for a constant.
  return sql`${column} = ${sql.lit(outcome)}`;
}

/** All other conditions for runs that only ElasticJob's table has; undefined if it has none of the kind. */
export function loggedConditions(dialect: TraceDialect, filter: RunFilter): Condition[] | undefined {
  const { fireTime, instance, jobPrefix, origin, outcome, source, version } = filter;
  if (fireTime !== undefined || origin !== undefined || version !== undefined) return undefined;
  const conditions: Condition[] = [sql`${sql.ref('startTime')} is not null`];
  if (jobPrefix !== undefined) conditions.push(begins(dialect, 'jobName', jobPrefix));
  if (source !== undefined) conditions.push(sql`${sql.ref('executionSource')} = ${source}`);
  if (outcome !== undefined) conditions.push(loggedOutcome(dialect, outcome));
  if (instance !== undefined) {
    const end = `%${ID_DELIMITER}READY${ID_DELIMITER}${literally(instance)}`;
    conditions.push(sql`${sql.ref('taskId')} like ${end} escape '!'`);
  }
  // It comes last, since MariaDB asks in this order, and it costs most.
  const hasTwin = sql`select 1 from ${sql.table(own)} where ${sql.ref(`${own}.id`)} = ${sql.ref(`${log}.id`)}`;
  return [...conditions, sql`not exists (${hasTwin})`];
}

/** Beginnings of `failure_cause` for runs that were no failures of the handler. */
const HANDED_OVER = ['moved:', 'leaving:', 'disabled:'];
const CANCELLED = 'CancelledError:';
const TIMED_OUT = 'JobTimeoutError:';
const STOPPED = [CANCELLED, 'ResidentStoppedError:', 'SuspendedTooLongError:', 'TaskTerminatedError:'];
const FENCED = ['The lease is over', 'The handler had returned'];

function loggedOutcome(dialect: TraceDialect, outcome: RunOutcome): Condition {
  const isOpen = sql<SqlBool>`${sql.ref('completeTime')} is null`;
  const isSuccess = sql<SqlBool>`${sql.ref('isSuccess')} = ${dialect.flag(true)}`;
  const hasEnded = sql<SqlBool>`(not ${isOpen} and not ${isSuccess})`;
  const cause = sql`coalesce(${sql.ref('failureCause')}, '')`;
  const beginsWith = (starts: readonly string[]): Condition =>
    sql`(${sql.join(
      starts.map((start) => sql`${cause} like ${`${literally(start)}%`} escape '!'`),
      sql` or `,
    )})`;
  switch (outcome) {
    case 'succeeded':
      return isSuccess;
    case 'running':
      return sql`(${isOpen} and not ${isSuccess} and not ${IS_LOGGED_PASSED})`;
    case 'lost':
      return sql`(${isOpen} and not ${isSuccess} and ${IS_LOGGED_PASSED})`;
    case 'fenced':
      return sql`(${hasEnded} and ${beginsWith(FENCED)})`;
    case 'aborted':
      return sql`(${hasEnded} and ${beginsWith([...HANDED_OVER, ...STOPPED])})`;
    case 'failed':
      return sql`(${hasEnded} and not ${beginsWith([...HANDED_OVER, ...STOPPED, ...FENCED])})`;
    default:
      return outcome satisfies never;
  }
}

/** Rows of one of the tables, in the order of pages or the other way round. */
interface Choice {
  readonly where: readonly Condition[];
  readonly limit: number;
  readonly order?: 'asc' | 'desc';
}

export async function readOwn(db: TraceDb, { where, limit, order = 'desc' }: Choice): Promise<JobRun[]> {
  const isPassed = sql<number>`case when ${sql.ref('outcome')} is null and ${IS_PASSED} then 1 else 0 end`;
  const rows = await db
    .selectFrom('elasticJobRun')
    .selectAll()
    .select(isPassed.as('isPassed'))
    .where(all(where))
    .orderBy('begunAt', order)
    .orderBy('id', order)
    .limit(limit)
    .execute();
  return rows.map(ownRun);
}

export async function readLogged(
  db: TraceDb,
  { instant }: TimedTable,
  { where, limit, order = 'desc' }: Choice,
): Promise<JobRun[]> {
  const isPassed = sql<number>`case when ${sql.ref('completeTime')} is null and ${IS_LOGGED_PASSED} then 1 else 0 end`;
  const rows = await db
    .selectFrom('jobExecutionLog')
    .select(['id', 'jobName', 'taskId', 'ip', 'shardingItem', 'executionSource'])
    .select(['failureCause', 'isSuccess', 'startTime', 'completeTime', isPassed.as('isPassed')])
    .where(all(where))
    .orderBy('startTime', order)
    .orderBy('id', order)
    .limit(limit)
    .execute();
  return rows.map((row) => loggedRun(row, instant));
}

type OwnRow = Selectable<TraceDatabase['elasticJobRun']> & { readonly isPassed: StoredNumber };

function ownRun(row: OwnRow): JobRun {
  const fireTime = numberOf(row.fireTime);
  return {
    id: row.id,
    jobName: row.jobName,
    shardingItem: row.shardingItem,
    fireTime,
    origin: isOrigin(row.origin) ? row.origin : undefined,
    source: row.source,
    outcome: ownOutcomeOf(row),
    cause: row.cause ?? undefined,
    error: undefined,
    run: row.run ?? undefined,
    token: row.token ?? undefined,
    epoch: numberOf(row.epoch),
    instance: row.instance,
    ip: row.instance.split(ID_DELIMITER)[0]!,
    version: row.version ?? undefined,
    taskId: row.taskId,
    launch: row.launch ?? undefined,
    begunAt: Number(row.begunAt),
    settledAt: numberOf(row.settledAt),
    latenessMs: numberOf(row.latenessMs),
    attempts: row.attempts,
  };
}

/** @param isPassed a later run of the item has begun */
export function ownOutcomeOf(row: { readonly outcome: string | null; readonly isPassed: StoredNumber }): RunOutcome {
  const ended = ENDED.find((outcome) => outcome === row.outcome);
  return ended ?? (Number(row.isPassed) === 1 ? 'lost' : 'running');
}

const ENDED = ['succeeded', 'failed', 'aborted', 'fenced'] as const;

type LogRow = Omit<Selectable<TraceDatabase['jobExecutionLog']>, 'number' | 'hostname'> & {
  readonly isPassed: StoredNumber;
};

function loggedRun(row: LogRow, instant: (value: unknown) => number): JobRun {
  const { completeTime, executionSource, failureCause, id, ip, jobName, shardingItem, startTime, taskId } = row;
  const [, , , server, process] = taskId.split(ID_DELIMITER);
  // A text that was cut to the width of its column ends somewhere in the id.
  const isWhole = process !== undefined && taskId.length < 255;
  return {
    id,
    jobName,
    shardingItem,
    fireTime: undefined,
    origin: undefined,
    source: executionSource,
    ...loggedEnd(row),
    error: failureCause ?? undefined,
    run: undefined,
    token: undefined,
    epoch: undefined,
    instance: isWhole ? `${server}${ID_DELIMITER}${process}` : undefined,
    ip,
    version: undefined,
    taskId,
    launch: undefined,
    begunAt: instant(startTime),
    settledAt: completeTime === null ? undefined : instant(completeTime),
    latenessMs: undefined,
    attempts: 1,
  };
}

function loggedEnd(row: LogRow): Pick<JobRun, 'outcome' | 'cause'> {
  const text = row.failureCause ?? '';
  const beginsWith = (starts: readonly string[]) => starts.some((start) => text.startsWith(start));
  if (isTrue(row.isSuccess)) return { outcome: 'succeeded', cause: undefined };
  if (row.completeTime === null) return { outcome: Number(row.isPassed) === 1 ? 'lost' : 'running', cause: undefined };
  if (beginsWithHandOver(text)) return { outcome: 'aborted', cause: text.slice(0, text.indexOf(':')) };
  if (beginsWith([CANCELLED])) return { outcome: 'aborted', cause: 'cancelled' };
  if (beginsWith(STOPPED)) return { outcome: 'aborted', cause: undefined };
  if (beginsWith(FENCED)) return { outcome: 'fenced', cause: undefined };
  return { outcome: 'failed', cause: beginsWith([TIMED_OUT]) ? 'timed-out' : undefined };
}

/** @param flag a BIT, as ElasticJob's console creates it in MySQL, comes as bytes */
function isTrue(flag: boolean | number | Uint8Array): boolean {
  return flag instanceof Uint8Array ? flag.some((byte) => byte !== 0) : Boolean(flag);
}

function isOrigin(text: string): text is TriggerOrigin {
  return /^(?:schedule$|resident$|manual:|rerun:)/.test(text);
}

function numberOf(value: StoredNumber | null): number | undefined {
  return value === null ? undefined : Number(value);
}
