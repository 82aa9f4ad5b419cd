import { type Selectable, sql } from 'kysely';
import type { EventQuery, JobHistoryEvent, MissedFireTimes } from '../../job-history.js';
import type { TracePage } from '../../trace-query.js';
import type { TraceDialect } from '../trace-dialect.js';
import type { TraceDatabase, TraceDb } from '../trace-row.js';
import {
  all,
  begins,
  type Condition,
  floorOf,
  greatest,
  isText,
  pageOf,
  positionOf,
  type TimedTable,
  within,
} from './paged-scan.js';

const EVENTS: TimedTable = { table: 'elasticJobEvent', time: 'toldAt', value: (ms) => ms, instant: Number };
/** Items of an event that is about more of them than its row has room for. */
const MANY = '*';

/** Events that were kept. */
export class EventReader {
  constructor(private readonly dialect: TraceDialect) {}

  async events(db: TraceDb, query: EventQuery): Promise<TracePage<JobHistoryEvent>> {
    const { limit = 100 } = query;
    const { floor, rows } = await this.page(db, 'events', query, limit);
    const events = rows.map(eventOf);
    return pageOf('events', events, limit, ({ at, id }) => ({ time: at, id }), floor);
  }

  async missed(db: TraceDb, query: EventQuery): Promise<TracePage<MissedFireTimes>> {
    const { limit = 100 } = query;
    const { floor, rows } = await this.page(db, 'missed', { ...query, kinds: ['missed'] }, limit);
    const page = pageOf('missed', rows, limit, ({ id, toldAt }) => ({ time: Number(toldAt), id }), floor);
    return { ...page, rows: page.rows.map(missedOf) };
  }

  private async page(db: TraceDb, of: string, query: EventQuery, limit: number) {
    const { cursor, from, to } = query;
    const { indexed, others } = conditionsOf(this.dialect, query);
    const range = within(EVENTS, { from, to, after: positionOf(of, cursor) });
    const floor = others.length === 0 ? undefined : await floorOf(db, EVENTS, [...indexed, ...range]);
    const least = within(EVENTS, { from: greatest(floor) });
    const rows = await select(db, [...indexed, ...range, ...least, ...others], limit + 1);
    return { floor, rows };
  }
}

/** Rows that meet all conditions, the newest first. */
export async function select(db: TraceDb, conditions: readonly Condition[], limit: number): Promise<EventRow[]> {
  return db
    .selectFrom('elasticJobEvent')
    .selectAll()
    .where(all(conditions))
    .orderBy('toldAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

export type EventRow = Selectable<TraceDatabase['elasticJobEvent']>;

/** Conditions for which an index selects in the order of time, and all others. */
function conditionsOf(dialect: TraceDialect, query: EventQuery) {
  const { instance, jobName, jobPrefix, kinds, shardingItem } = query;
  const indexed: Condition[] = [];
  const others: Condition[] = [];
  if (jobName !== undefined) indexed.push(isText(dialect, 'jobName', jobName));
  if (kinds?.length === 1) indexed.push(sql`${sql.ref('kind')} = ${kinds[0]}`);
  else if (kinds !== undefined) others.push(isOneOf(kinds));
  if (jobPrefix !== undefined) others.push(begins(dialect, 'jobName', jobPrefix));
  if (instance !== undefined) others.push(isText(dialect, 'instance', instance));
  if (shardingItem !== undefined) {
    const items = sql.ref('items');
    others.push(sql`(${items} like ${`%,${shardingItem},%`} or ${items} = ${MANY})`);
  }
  return { indexed, others };
}

function isOneOf(kinds: readonly string[]): Condition {
  return kinds.length === 0 ? sql`1 = 0` : sql`${sql.ref('kind')} in (${sql.join(kinds)})`;
}

export function eventOf(row: EventRow): JobHistoryEvent {
  return {
    id: row.id,
    at: Number(row.toldAt),
    kind: row.kind,
    jobName: row.jobName ?? undefined,
    items: itemsOf(row),
    fireTime: row.fireTime === null ? undefined : Number(row.fireTime),
    instance: row.instance ?? undefined,
    detail: detailOf(row),
  };
}

export function missedOf(row: EventRow): MissedFireTimes {
  const { count, reason } = detailOf(row);
  const fireTime = Number(row.fireTime ?? row.toldAt);
  return {
    jobName: row.jobName ?? '',
    items: itemsOf(row) ?? [],
    since: Number(row.sinceAt ?? fireTime),
    fireTime,
    count: typeof count === 'number' ? count : 1,
    reason: typeof reason === 'string' ? reason : '',
    at: Number(row.toldAt),
  };
}

/** True if the event is about more items than its row names. */
export function isAboutMany({ items }: EventRow): boolean {
  return items === MANY;
}

function itemsOf({ items }: EventRow): number[] | undefined {
  if (items === null || items === MANY) return undefined;
  return items
    .split(',')
    .filter((item) => item !== '')
    .map(Number);
}

function detailOf({ detail }: EventRow): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(detail);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? { ...parsed } : {};
  } catch {
    return {};
  }
}
