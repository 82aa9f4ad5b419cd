import type { ExecutorDeathState, ShardOutcomeKind, StopCause, StoppedRun } from './shard-outcome.js';
import { isInstant, isJsonNumber, isObject, readFields } from '../node-text.js';
import { isSameTarget, LONGEST_ORIGIN, LONGEST_TRIGGER_ID, rerunIdOf, type Target, triggerIdOf } from './trigger.js';

/**
 * The text of `sharding/{item}/record`: the last run of the item by one of our instances. Begin and settle write it
 * against the node's version, so the begin is a compare-and-set. Java knows no such node.
 *
 * Versions of this package share records. `run`, `by`, `target` and `settled` are in every format, and no field ever
 * changes its meaning. Fields that a reader does not know are on the object as well, and stay there through every
 * write.
 */
export interface RunRecord {
  /** Unique per begin: shows after a lost reply whether the begin in the node is ours. */
  readonly run: string;
  /** The instance id of the holder, or `java` if the fire times up to this one were shared with Java peers. */
  readonly by: string;
  readonly target: Target;
  readonly attempt: number;
  /** Milliseconds since the epoch. */
  readonly begunAt: number;
  /**
   * The last fire time of the schedule that was begun or given up, if the target is an operator's or an earlier one;
   * undefined if there was none.
   */
  readonly lastScheduled?: number;
  /**
   * The instant after which the item owes the schedule's fire times, while only operators have run it; else
   * undefined.
   */
  readonly owesAfter?: number;
  /** Ids of the latest operators' triggers for which the item was begun before, oldest first; undefined: none. */
  readonly triggers?: readonly string[];
  /** Fire times that a clock which ran ahead has begun early; undefined if none of them is still to come. */
  readonly early?: EarlyRuns;
  readonly settled?: SettledRun;
  /** That this run was told to stop for good, while it has not ended; undefined: it was not. */
  readonly stopped?: StoppedRun;
  /** Deaths of this target's executors by their own fault; undefined: none. */
  readonly executorDeaths?: number;
  /** For work in tasks: number of the launch for the target, from 1. */
  readonly launch?: number;
  /** True if the task of this run outlives its holder: an orphan is then adopted, and not repeated. @default false */
  readonly isAdoptable?: boolean;
  /**
   * The run's W3C `traceparent`, for the trace of its repetition; undefined if it is not traced or will not be
   * repeated. (The name is short because the records of all items of a job must fit one request.)
   */
  readonly trace?: string;
}

/** A stretch of fire times, some of which were begun early by the registry's clock. */
export interface EarlyRuns {
  /** When this was discovered: fire times up to here are done or given up. In milliseconds since the epoch. */
  readonly after: number;
  /** The last fire time that was begun early. */
  readonly until: number;
  /** The early fire times that are known by name, ascending: they are not begun again, the others are. */
  readonly fireTimes: readonly number[];
}

/** End of a run. */
export interface SettledRun {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly outcome: ShardOutcomeKind;
  readonly cause?: SettleCause;
  /** True if it has failed and was queued in the same transaction, so that the target runs again. */
  readonly isOwed?: boolean;
}

/**
 * Cause of an end that is not the handler's own.
 * - an `ExecutorDeathState`: its executor has died;
 * - `overflow`: its holder is gone, and the failover queue was full;
 * - `purged`: its place in the failover queue was removed as the job was disabled;
 * - `released`: its holder lives and did not run it any more;
 * - `handed-over`: its holder has let go of a task that runs on;
 * - `cancelled`: an operator has cancelled it;
 * - `timed-out`: it has outlived its time limit, and its holder is gone before its handler has returned.
 */
type SettleCause = ExecutorDeathState | StopCause | 'overflow' | 'purged' | 'released' | 'handed-over';

/** A record as it stands in the tree. */
export type StoredRecord =
  | {
      readonly kind: 'none';
      /**
       * An unreadable text, last written at this instant, in milliseconds since the epoch. Fire times up to it count as
       * begun.
       */
      readonly unreadableSince?: number;
    }
  | { readonly kind: 'record'; readonly record: RunRecord };

/** Checks of the fields: a value that fails is damaged. */
const FIELDS: { readonly [Field in keyof Required<RunRecord>]: (value: unknown) => boolean } = {
  run: isString,
  by: isString,
  target: isTarget,
  attempt: isJsonNumber,
  begunAt: isInstant,
  lastScheduled: isInstant,
  owesAfter: isInstant,
  triggers: (value) => Array.isArray(value) && value.every((id) => isString(id, LONGEST_TRIGGER_ID)),
  early: isEarlyRuns,
  settled: isSettledRun,
  stopped: (value) => isObject(value) && isString(value['run']) && isString(value['cause']),
  executorDeaths: isJsonNumber,
  launch: isJsonNumber,
  isAdoptable: (value) => typeof value === 'boolean',
  trace: isString,
};
const isKnown = (field: string): field is keyof RunRecord => Object.hasOwn(FIELDS, field);

/**
 * Most characters of unknown fields that are carried on, since the records of all items of a begin go into one request.
 */
const MOST_CARRIED = 4_096;

/** Most operators' triggers that may overtake each other while an item moves. */
export const KEPT_TRIGGERS = 4;

/** Most early fire times that are read: more than any version names. */
const MOST_EARLY = 100;

/** Writes a record. @param protocol the newest one that all instances can read */
export function formatRunRecord(record: RunRecord, protocol: number): string {
  return JSON.stringify({ v: protocol, ...record });
}

/**
 * Reads a record of any format by the fields that this version knows. One of another type, or longer than any version
 * writes, is left out. A record without `run`, `by` and `target`, or with a damaged `settled`, cannot be read.
 * @param writtenAt when the text was written, in milliseconds since the epoch on the registry's clock
 */
export function parseRunRecord(text: string, writtenAt?: number): StoredRecord {
  return text === '' ? { kind: 'none' } : readRunRecord(readFields(text) ?? {}, writtenAt);
}

/** Reads the fields of a record's text. @see parseRunRecord */
export function readRunRecord(
  { v: _version, ...fields }: Readonly<Record<string, unknown>>,
  writtenAt?: number,
): StoredRecord {
  if (!isReadable(fields)) return { kind: 'none', unreadableSince: writtenAt };
  const isKept = (field: string) => !isKnown(field) || FIELDS[field](fields[field]);
  const names = Object.keys(fields);
  // Nearly all records are intact, and need no filter.
  const kept = names.every(isKept)
    ? fields
    : Object.fromEntries(names.filter(isKept).map((field) => [field, fields[field]]));
  const { run, by, target } = fields;
  return { kind: 'record', record: { run, by, target, attempt: 1, begunAt: target.fireTime, ...kept } };
}

/**
 * Fields of a later version, to be kept in the next record that is written; undefined if there are none, or if they are
 * longer than any version writes.
 */
export function carriedFields(stored: StoredRecord): Readonly<Record<string, unknown>> | undefined {
  if (stored.kind !== 'record' || Object.keys(stored.record).every(isKnown)) return undefined;
  const carried = Object.fromEntries(Object.entries(stored.record).filter(([field]) => !isKnown(field)));
  return JSON.stringify(carried).length <= MOST_CARRIED ? carried : undefined;
}

/** The instant up to which targets of the item count as begun; undefined if there is none. */
export function lastFireTimeOf(stored: StoredRecord): number | undefined {
  return stored.kind === 'record' ? stored.record.target.fireTime : stored.unreadableSince;
}

/** True if the record shows a run of this target, finished or not. */
export function hasBegun(stored: StoredRecord, target: Target): boolean {
  return stored.kind === 'record' && isSameTarget(stored.record.target, target);
}

/**
 * The last fire time of the schedule that was begun or given up for the item: none up to it is begun any more. A fire
 * time that was begun early does not count, nor does an operator's run. Undefined if there was none, or if it is
 * unknown.
 */
export function lastScheduledOf(stored: StoredRecord): number | undefined {
  if (stored.kind !== 'record') return stored.unreadableSince;
  const { early, target, lastScheduled } = stored.record;
  const isScheduled = target.origin === 'schedule' && !early?.fireTimes.includes(target.fireTime);
  return isScheduled ? Math.max(target.fireTime, lastScheduled ?? -Infinity) : lastScheduled;
}

/**
 * The instant after which the item owes fire times of the schedule. If only operators' triggers have run it so far,
 * that is the first of them. Undefined if there was no run, or if it is unknown.
 */
export function owesAfter(stored: StoredRecord): number | undefined {
  return lastScheduledOf(stored) ?? (stored.kind === 'record' ? stored.record.owesAfter : undefined);
}

/**
 * The instant after which an item owes fire times, when an operator's trigger is the first to run it: the earlier of
 * the begin by the holder's clock and the operator's request. So clocks that differ hide no fire time. The fire time of
 * a re-run is no such request, so it owes what comes after the begin.
 */
export function owesAfterTrigger({ begunAt, target }: RunRecord): number | undefined {
  if (rerunIdOf(target.origin) !== undefined) return begunAt;
  return triggerIdOf(target.origin) === undefined ? undefined : Math.min(target.fireTime, begunAt);
}

/**
 * Ids of the operators' triggers for which the item was begun, as many as a record keeps, oldest first. They are needed
 * because all instances are asked for a run: an item that moves meanwhile could run for both of its owners.
 */
export function triggersOf(stored: StoredRecord): readonly string[] {
  if (stored.kind !== 'record') return [];
  const { target, triggers = [] } = stored.record;
  const id = triggerIdOf(target.origin);
  // An earlier begin for the same trigger, now repeated by failover, has listed it.
  const all = id === undefined || triggers.includes(id) ? triggers : [...triggers, id];
  return all.length > KEPT_TRIGGERS ? all.slice(-KEPT_TRIGGERS) : all;
}

/** True if the task of the recorded run goes on without a scheduler: the next holder of the item has to adopt it. */
export function isLeftToAdopt(stored: StoredRecord): boolean {
  if (stored.kind !== 'record') return false;
  const { isAdoptable = false, settled } = stored.record;
  return isAdoptable && (settled === undefined || settled.cause === 'handed-over');
}

/** Number of the launch that a begin stands for: an adoption keeps the number, any other repetition raises it. */
export function launchOf(stored: StoredRecord, target: Target): number {
  if (!hasBegun(stored, target) || stored.kind !== 'record') return 1;
  const { launch = 1 } = stored.record;
  return isLeftToAdopt(stored) ? launch : launch + 1;
}

/** Deaths of a target's executors so far, by their own fault. */
export function executorDeathsOf(stored: StoredRecord, target: Target): number | undefined {
  return hasBegun(stored, target) && stored.kind === 'record' ? stored.record.executorDeaths : undefined;
}

/** Trace of the former run of a repeated target; undefined if there was none, or if it was not traced. */
export function traceparentOf(stored: StoredRecord, target: Target): string | undefined {
  return hasBegun(stored, target) && stored.kind === 'record' ? stored.record.trace : undefined;
}

/**
 * Stands for the runs of a job that was shared with Java, which leave no record: everything up to a fire time is done,
 * and not caught up on.
 */
export function sharedRunRecord(run: string, fireTime: number, at: number): RunRecord {
  return passedRunRecord(run, 'java', fireTime, at);
}

/**
 * Stands for fire times that an item does not owe: everything up to this one is done. @param by the author of the
 * record
 */
export function passedRunRecord(run: string, by: string, fireTime: number, at: number): RunRecord {
  const target = { fireTime, origin: 'schedule' } as const;
  return { run, by, target, attempt: 1, begunAt: fireTime, settled: { at, outcome: 'succeeded' } };
}

function isReadable(
  fields: Readonly<Record<string, unknown>>,
): fields is Readonly<Record<string, unknown>> & Pick<RunRecord, 'run' | 'by' | 'target'> {
  const { run, by, target, settled } = fields;
  return isString(run) && isString(by) && isTarget(target) && (settled === undefined || isSettledRun(settled));
}

function isTarget(value: unknown): value is Target {
  return isObject(value) && isInstant(value['fireTime']) && isString(value['origin'], LONGEST_ORIGIN);
}

function isSettledRun(value: unknown): value is SettledRun {
  return isObject(value) && isInstant(value['at']) && isString(value['outcome']);
}

function isEarlyRuns(value: unknown): value is EarlyRuns {
  if (!isObject(value)) return false;
  const { after, until, fireTimes } = value;
  return Array.isArray(fireTimes) && fireTimes.length <= MOST_EARLY && [after, until, ...fireTimes].every(isInstant);
}

function isString(value: unknown, longest = Infinity): value is string {
  return typeof value === 'string' && value.length <= longest;
}
