import { isObject, readFields } from '../node-text.js';
import {
  carriedFields,
  KEPT_TRIGGERS,
  lastScheduledOf,
  passedRunRecord,
  readRunRecord,
  type RunRecord,
  type StoredRecord,
  triggersOf,
} from './run-record.js';
import { manualOrigin, rerunIdOf, type Target } from './trigger.js';

/**
 * The text of `ended`: what the records of items said that a smaller total has ended. If the total grows again, the new
 * item of that number starts with it. So it is not begun for what the ended one was begun for.
 */
export interface EndedItems {
  readonly records: ReadonlyMap<number, RunRecord>;
  /** Stands for every item that is not named, once there were too many records to tell apart. @default none */
  readonly others?: RunRecord;
}

/** The author of a record that stands for fire times which nobody owes. */
export interface RecordAuthor {
  readonly run: string;
  /** The instance id. */
  readonly by: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

const VERSION = 1;
/** Characters beyond which records are not told apart any more. The usual text has a few hundred. */
const LONGEST = 16_384;
/** Most items that are told apart: as many as a job may have. */
const MOST_ITEMS = 10_000;
/** Fields that follow from the others. */
const DERIVED: ReadonlySet<string> = new Set(['run', 'by', 'attempt', 'begunAt', 'settled']);
const NONE: EndedItems = { records: new Map() };

/** Targets for which an item was begun, as a record that outlives it. Undefined if it was never begun. */
export function endedRunRecord(stored: StoredRecord): RunRecord | undefined {
  if (stored.kind === 'none') {
    const { unreadableSince } = stored;
    return unreadableSince === undefined ? undefined : passedRunRecord('', '', unreadableSince, unreadableSince);
  }
  const { early, lastScheduled } = stored.record;
  const target = lastAskedFor(stored.record);
  if (target === undefined) return undefined;
  const triggers = triggersOf(stored);
  return {
    ...carriedFields(stored),
    ...passedRunRecord('', '', target.fireTime, target.fireTime),
    target: { fireTime: target.fireTime, origin: target.origin },
    ...(lastScheduled !== undefined && { lastScheduled }),
    ...(triggers.length > 0 && { triggers }),
    ...(early !== undefined && { early }),
  };
}

/** The target of a record. A re-run notes its own progress, so one of it gives way to what was begun before it. */
function lastAskedFor({ lastScheduled, target, triggers = [] }: RunRecord): Target | undefined {
  if (rerunIdOf(target.origin) === undefined) return target;
  if (lastScheduled !== undefined) return { fireTime: lastScheduled, origin: 'schedule' };
  const id = triggers.at(-1);
  return id === undefined ? undefined : { fireTime: target.fireTime, origin: manualOrigin(id) };
}

/**
 * The first record of a new item; undefined if it needs none.
 * @param ended of the ended item of that number, if there was one
 * @param start the last start of a job after others, in which a new item takes no part
 */
export function firstRunRecord(
  ended: RunRecord | undefined,
  start: number | undefined,
  { run, by, at }: RecordAuthor,
): RunRecord | undefined {
  const last = start ?? ended?.target.fireTime;
  if (last === undefined) return undefined;
  const passed = passedRunRecord(run, by, last, at);
  if (ended === undefined) return passed;
  const scheduled = greatest([lastScheduledOf({ kind: 'record', record: ended }), start]);
  return { ...ended, ...passed, target: ended.target, ...(scheduled !== undefined && { lastScheduled: scheduled }) };
}

/** Adds items that end, and drops those that are there again. */
export function withEndedItems(
  { records, ...before }: EndedItems,
  ended: Iterable<readonly [item: number, record: RunRecord]>,
  isThere: (item: number) => boolean,
): EndedItems {
  return { ...before, records: new Map([...[...records].filter(([item]) => !isThere(item)), ...ended]) };
}

/** @returns an empty text if there is nothing to keep */
export function formatEndedItems(ended: EndedItems): string {
  const { records, others } = ended;
  if (records.size === 0 && others === undefined) return '';
  const text = textOf(ended);
  if (text.length <= LONGEST && records.size <= MOST_ITEMS) return text;
  return textOf({ records: new Map(), others: foldedRecord([...records.values(), ...(others ? [others] : [])]) });
}

/** A damaged text names no item. */
export function parseEndedItems(text: string): EndedItems {
  const ended = readFields(text)?.['ended'];
  if (!Array.isArray(ended)) return NONE;
  const records = new Map<number, RunRecord>();
  let others: RunRecord | undefined;
  let left = MOST_ITEMS;
  for (const { items, record } of ended.filter(isObject)) {
    const stored = readRunRecord({ ...(isObject(record) && record), run: '', by: '' });
    const kept = endedRunRecord(stored);
    if (kept === undefined) continue;
    if (items === undefined) others = kept;
    for (const [from, to] of Array.isArray(items) ? items.filter(isRange) : []) {
      left -= to - from + 1;
      if (left < 0) return NONE;
      for (let item = from; item <= to; item += 1) records.set(item, kept);
    }
  }
  return others === undefined ? { records } : { records, others };
}

function textOf({ records, others }: EndedItems): string {
  const groups = new Map<string, { readonly items: [number, number][]; readonly record: object }>();
  for (const [item, record] of [...records].toSorted(([a], [b]) => a - b)) {
    const kept = essentials(record);
    const key = JSON.stringify(kept);
    const group = groups.get(key) ?? { items: [], record: kept };
    groups.set(key, group);
    const last = group.items.at(-1);
    if (last?.[1] === item - 1) last[1] = item;
    else group.items.push([item, item]);
  }
  const ended = [...groups.values(), ...(others === undefined ? [] : [{ record: essentials(others) }])];
  return JSON.stringify({ v: VERSION, ended });
}

/** The parts of a record that do not follow from the others. Items that were begun together have equal ones. */
function essentials(record: RunRecord): object {
  return Object.fromEntries(Object.entries(record).filter(([field]) => !DERIVED.has(field)));
}

/** One record in place of several: what any of them was begun for counts as begun. */
function foldedRecord(records: readonly RunRecord[]): RunRecord {
  const latest = records.reduce((one, other) => (other.target.fireTime > one.target.fireTime ? other : one));
  const stored = records.map((record) => ({ kind: 'record', record }) as const);
  const scheduled = greatest(stored.map(lastScheduledOf));
  const triggers = [...new Set(stored.flatMap(triggersOf))].slice(-KEPT_TRIGGERS);
  const early = records.flatMap((record) => record.early ?? []);
  return {
    ...passedRunRecord('', '', latest.target.fireTime, latest.target.fireTime),
    target: latest.target,
    ...(scheduled !== undefined && { lastScheduled: scheduled }),
    ...(triggers.length > 0 && { triggers }),
    ...(early.length > 0 && { early: early.reduce((one, other) => (other.until > one.until ? other : one)) }),
  };
}

function greatest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : known.reduce((one, other) => Math.max(one, other));
}

function isRange(value: unknown): value is readonly [number, number] {
  if (!Array.isArray(value)) return false;
  const [from, to] = value as unknown[];
  return isItem(from) && isItem(to) && from <= to;
}

function isItem(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
