import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { ConfigurationError, show } from '../../../domain/index.js';
import type { TracePage } from '../../trace-query.js';
import { type TraceDialect, traceDialect } from '../trace-dialect.js';
import type { TraceDatabase, TraceDb } from '../trace-row.js';

/**
 * Most rows of a table that a page looks at, if no index selects them. A page that has looked at them all ends there:
 * it may have few rows, or none, and its cursor goes on.
 */
const MOST_SCANNED = 10_000;

/** Last row of a page: its time in milliseconds since the epoch, and its id, before which the next page begins. */
export interface Position {
  readonly time: number;
  readonly id: string;
}

export type Condition = RawBuilder<SqlBool>;

/** All conditions together; without one every row is selected. */
export function all(conditions: readonly Condition[]): Condition {
  return conditions.length === 0 ? sql`1 = 1` : sql`${sql.join(conditions, sql` and `)}`;
}

/** A condition for a column without an operator of the builder: its text is exactly this one, also in MySQL. */
export function isText(dialect: TraceDialect, column: string, value: string): Condition {
  const name = sql.ref(column);
  const isAlike = sql<SqlBool>`${name} = ${value}`;
  return dialect === traceDialect('mysql') ? sql`(${isAlike} and ${isSame(name, value)})` : isAlike;
}

/** A condition: the text in the column begins with exactly this one. No index helps. */
export function begins(dialect: TraceDialect, column: string, prefix: string): Condition {
  const start = sql`substr(${sql.ref(column)}, 1, ${sql.lit(Array.from(prefix).length)})`;
  return dialect === traceDialect('mysql') ? isSame(start, prefix) : sql`${start} = ${prefix}`;
}

/** MySQL compares without letters' case, and PostgreSQL and SQLite with it. What names a job must not depend on it. */
function isSame(text: RawBuilder<unknown>, value: string): Condition {
  return sql`cast(convert(${text} using utf8mb4) as binary) = cast(convert(${value} using utf8mb4) as binary)`;
}

/** A text for LIKE in which nothing stands for other letters. The escape is `!`. */
export function literally(text: string): string {
  return text.replaceAll(/[!%_]/g, '!$&');
}

/** The position that a cursor of this kind names. @throws {ConfigurationError} for any other text */
export function positionOf(kind: string, cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined;
  const position = parseCursor(kind, cursor);
  if (position !== undefined) return position;
  throw new ConfigurationError('SqlHistory', [
    `cursor must be the cursor of a page of ${kind}, but is ${show(cursor)}`,
  ]);
}

function parseCursor(expected: string, cursor: string): Position | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (!Array.isArray(parsed) || parsed.length !== 3) return undefined;
    const [kind, time, id]: unknown[] = parsed;
    const isPosition = kind === expected && Number.isSafeInteger(time) && Math.abs(Number(time)) < 1e15;
    return isPosition && typeof id === 'string' && /^[!-~]{0,64}$/.test(id) ? { time: Number(time), id } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Makes a page of the newest rows.
 * @param found rows in their order, one more than the limit if there are more
 * @param floor rows before this instant were not looked at; undefined: all were
 */
export function pageOf<Row>(
  kind: string,
  found: readonly Row[],
  limit: number,
  position: (row: Row) => Position,
  floor?: number,
): TracePage<Row> {
  const rows = found.slice(0, limit);
  const last = found.length > limit ? position(rows.at(-1)!) : undefined;
  const end = last ?? (floor === undefined ? undefined : { time: floor, id: '' });
  const cursor = end && Buffer.from(JSON.stringify([kind, end.time, end.id])).toString('base64url');
  return { rows, cursor };
}

/** The newest first; of one instant, by their ids. */
export function newestFirst(a: Position, b: Position): number {
  if (a.time !== b.time) return b.time - a.time;
  return a.id < b.id ? 1 : -1;
}

/** A table of which pages are read by time. */
export interface TimedTable {
  readonly table: keyof TraceDatabase;
  /** Its column of time. */
  readonly time: string;
  /** An instant as a value of the column. */
  readonly value: (ms: number) => unknown;
  /** A value of the column as an instant. */
  readonly instant: (value: unknown) => number;
}

/** Bounds of a page: from an instant on, before an instant, and behind a position. */
export interface Bounds {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly after?: Position | undefined;
}

/** Conditions for the bounds. Those with one comparison let an index begin at the position. */
export function within({ time, value }: TimedTable, { after, from, to }: Bounds): Condition[] {
  const column = sql.ref(time);
  const conditions: Condition[] = [];
  if (from !== undefined) conditions.push(sql`${column} >= ${value(from)}`);
  if (to !== undefined) conditions.push(sql`${column} < ${value(to)}`);
  if (after === undefined) return conditions;
  const at = value(after.time);
  return [
    ...conditions,
    sql`${column} <= ${at}`,
    sql`(${column} < ${at} or (${column} = ${at} and ${sql.ref('id')} < ${after.id}))`,
  ];
}

/** Time of the last row that a page may look at; undefined if there are fewer. @param indexed what an index selects */
export async function floorOf(
  db: TraceDb,
  source: TimedTable,
  indexed: readonly Condition[],
  most = MOST_SCANNED,
): Promise<number | undefined> {
  const time = sql.ref(source.time);
  const query = sql<{ at: unknown }>`select ${time} as ${sql.ref('at')} from ${sql.table(source.table)}
    where ${all(indexed)} order by ${time} desc limit 1 offset ${sql.lit(most - 1)}`;
  const [row] = (await query.execute(db)).rows;
  return row && source.instant(row.at);
}

/** The greatest of the numbers that are known. */
export function greatest(...values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}
