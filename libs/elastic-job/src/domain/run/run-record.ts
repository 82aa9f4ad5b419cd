import type { ExecutorDeathState } from './executor-death.error.js';
import { isJsonNumber, readJson } from '../node-text.js';
import type { ShardOutcomeKind } from './shard-outcome.js';
import { isSameTarget, type Target, triggerIdOf } from './trigger.js';

/**
 * The text of `sharding/{item}/record`: what the last run of the item by one of our instances was. Written by begin and
 * settle against the node's version, so it makes the begin a compare-and-set. Java knows no such node.
 *
 * Versions of this package share records. `run`, `by`, `target` and `settled` are in every format, and no field ever
 * changes its meaning. Fields that a reader does not know are on the object as well: they stay there through every
 * write.
 */
export interface RunRecord {
  /** Unique per begin; tells after a lost reply whether the begin in the node is ours. */
  readonly run: string;
  /** The instance id of the holder, or `java`: the fire times up to this one were shared with Java peers. */
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
   * The instant after which the item owes the schedule's fire times while only operators have run it; else
   * undefined.
   */
  readonly owesAfter?: number;
  /**
   * The triggers of operators that the item was begun for before, by their ids, the latest ones, oldest first;
   * undefined: none.
   */
  readonly triggers?: readonly string[];
  /** What a clock that ran ahead has begun before its time; undefined: nothing, or all of it has come since. */
  readonly early?: EarlyRuns;
  readonly settled?: SettledRun;
  /** How often an executor of this target has died by its own fault; undefined: never. */
  readonly executorDeaths?: number;
  /** Of work in tasks: which launch of the target this is, counted from 1. */
  readonly launch?: number;
  /** The task of this run outlives its holder: an orphan is to be adopted, and not repeated. @default false */
  readonly isAdoptable?: boolean;
  /**
   * The run's W3C `traceparent`, for whoever traces its repetition; undefined: nobody traces it, or nobody will repeat
   * it. (The name is short: a job has at most as many items as their records fit one request.)
   */
  readonly trace?: string;
}

/** A stretch of fire times of which some were begun before they had come, by the registry's clock. */
export interface EarlyRuns {
  /** When it was found out: what came until then is done or given up. In milliseconds since the epoch. */
  readonly after: number;
  /** The last fire time that was begun so. */
  readonly until: number;
  /** Those that are known by name, ascending: they are not begun again, the others are. */
  readonly fireTimes: readonly number[];
}

/** How a run has ended. */
export interface SettledRun {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly outcome: ShardOutcomeKind;
  readonly cause?: SettleCause;
  /** It has failed and was queued in the same transaction: the target is to run again. */
  readonly isOwed?: boolean;
}

/**
 * Why a run has ended so, if not by its handler's own doing: its executor has died; its holder is gone and it found no
 * place in the failover queue (`overflow`), or lost that place as the job was disabled (`purged`); its holder lives and
 * did not run it any more (`released`), or has let go of a task that runs on (`handed-over`).
 */
type SettleCause = ExecutorDeathState | 'overflow' | 'purged' | 'released' | 'handed-over';

/** A record as it stands in the tree. */
export type StoredRecord =
  | {
      readonly kind: 'none';
      /**
       * There is a text that nobody can read, last written at this instant, in milliseconds since the epoch. What was
       * due until then counts as begun.
       */
      readonly unreadableSince?: number;
    }
  | { readonly kind: 'record'; readonly record: RunRecord };

/** What tells a field from damage, for each of them. */
const FIELDS: { readonly [Field in keyof Required<RunRecord>]: (value: unknown) => boolean } = {
  run: isString,
  by: isString,
  target: isTarget,
  attempt: isJsonNumber,
  begunAt: isJsonNumber,
  lastScheduled: isJsonNumber,
  owesAfter: isJsonNumber,
  triggers: (value) => Array.isArray(value) && value.every(isString),
  early: isEarlyRuns,
  settled: isSettledRun,
  executorDeaths: isJsonNumber,
  launch: isJsonNumber,
  isAdoptable: (value) => typeof value === 'boolean',
  trace: isString,
};
const isKnown = (field: string): field is keyof RunRecord => Object.hasOwn(FIELDS, field);

/** All items of a begin go into one request, with what others have added to their records; in characters. */
const MOST_CARRIED = 4_096;

/** So many operators' triggers may overtake each other while an item moves. */
export const KEPT_TRIGGERS = 4;

/** @param protocol the newest that everybody reads */
export function formatRunRecord(record: RunRecord, protocol: number): string {
  return JSON.stringify({ v: protocol, ...record });
}

/**
 * Reads a record of any format by the fields that this version knows. One of another type than it has here is left out;
 * a record without `run`, `by` and `target`, or with a damaged `settled`, cannot be read.
 * @param writtenAt when the text was written, in milliseconds since the epoch on the registry's clock
 */
export function parseRunRecord(text: string, writtenAt?: number): StoredRecord {
  if (text === '') return { kind: 'none' };
  const { v: _version, ...fields } = parseFields(text);
  if (!isReadable(fields)) return { kind: 'none', unreadableSince: writtenAt };
  const isKept = (field: string) => !isKnown(field) || FIELDS[field](fields[field]);
  const names = Object.keys(fields);
  // Nearly no record is damaged.
  const kept = names.every(isKept)
    ? fields
    : Object.fromEntries(names.filter(isKept).map((field) => [field, fields[field]]));
  const { run, by, target } = fields;
  return { kind: 'record', record: { run, by, target, attempt: 1, begunAt: target.fireTime, ...kept } };
}

/**
 * The fields of a record that this version does not know: those of a later one, to be kept in whatever is written next.
 * None, if they are longer than any version writes.
 */
export function carriedFields(stored: StoredRecord): Readonly<Record<string, unknown>> {
  if (stored.kind !== 'record') return {};
  const carried = Object.fromEntries(Object.entries(stored.record).filter(([field]) => !isKnown(field)));
  return JSON.stringify(carried).length <= MOST_CARRIED ? carried : {};
}

/** The instant up to which targets of the item were begun or are to count as such. Undefined: there was none. */
export function lastFireTimeOf(stored: StoredRecord): number | undefined {
  return stored.kind === 'record' ? stored.record.target.fireTime : stored.unreadableSince;
}

/** True if the record shows a run of this target, finished or not. */
export function hasBegun(stored: StoredRecord, target: Target): boolean {
  return stored.kind === 'record' && isSameTarget(stored.record.target, target);
}

/**
 * The last fire time of the schedule that the item was begun for, or that was given up: none up to it is begun any
 * more. One that was begun before it had come does not count. A run that an operator has asked for neither hides it nor
 * counts as one. Undefined: there was none, or nobody can say.
 */
export function lastScheduledOf(stored: StoredRecord): number | undefined {
  if (stored.kind !== 'record') return stored.unreadableSince;
  const { early, target, lastScheduled } = stored.record;
  const isScheduled = target.origin === 'schedule' && !early?.fireTimes.includes(target.fireTime);
  return isScheduled ? Math.max(target.fireTime, lastScheduled ?? -Infinity) : lastScheduled;
}

/**
 * The instant after which the item owes the fire times of the schedule. An item that only operators have run so
 * far owes what has come since the first of them. Undefined: there was no run, or nobody can say.
 */
export function owesAfter(stored: StoredRecord): number | undefined {
  return lastScheduledOf(stored) ?? (stored.kind === 'record' ? stored.record.owesAfter : undefined);
}

/**
 * The instant after which an item owes fire times that an operator's trigger is the first to run. The holder's own
 * clock will bring it those after the begin, and the operator's tells what came before he asked: the earlier of both
 * counts, so that clocks that differ hide none.
 */
export function owesAfterTrigger({ begunAt, target }: RunRecord): number | undefined {
  return triggerIdOf(target.origin) === undefined ? undefined : Math.min(target.fireTime, begunAt);
}

/**
 * The triggers of operators that the item was begun for, by their ids, as many as a record keeps, oldest first. All
 * instances are asked for a run: an item that moves meanwhile could run for both its owners.
 */
export function triggersOf(stored: StoredRecord): readonly string[] {
  if (stored.kind !== 'record') return [];
  const { target, triggers = [] } = stored.record;
  const id = triggerIdOf(target.origin);
  // A failover of it has been begun for the same trigger before.
  if (id === undefined || triggers.includes(id)) return triggers;
  return [...triggers, id].slice(-KEPT_TRIGGERS);
}

/** A task of the recorded run goes on, and nobody follows it: whoever takes the item over is to adopt it. */
export function isLeftToAdopt(stored: StoredRecord): boolean {
  if (stored.kind !== 'record') return false;
  const { isAdoptable = false, settled } = stored.record;
  return isAdoptable && (settled === undefined || settled.cause === 'handed-over');
}

/** Which launch of a target a begin stands for: an adoption keeps the number, whatever else repeats it raises it. */
export function launchOf(stored: StoredRecord, target: Target): number {
  if (!hasBegun(stored, target) || stored.kind !== 'record') return 1;
  const { launch = 1 } = stored.record;
  return isLeftToAdopt(stored) ? launch : launch + 1;
}

/** The deaths of executors that a target has suffered so far by their own fault. */
export function executorDeathsOf(stored: StoredRecord, target: Target): number | undefined {
  return hasBegun(stored, target) && stored.kind === 'record' ? stored.record.executorDeaths : undefined;
}

/** What names the former run of a target that is repeated; undefined: there was none, or nobody has traced it. */
export function traceparentOf(stored: StoredRecord, target: Target): string | undefined {
  return hasBegun(stored, target) && stored.kind === 'record' ? stored.record.trace : undefined;
}

/** The record of a run that nobody will repeat although it was not done. @param at milliseconds since the epoch */
export function droppedRunRecord(record: RunRecord, at: number, cause: 'overflow' | 'purged' | 'released'): RunRecord {
  const { isOwed: _isOwed, ...settled } = record.settled ?? { at, outcome: 'aborted' };
  const former = settled.cause === 'handed-over' ? undefined : settled.cause;
  return { ...withoutTrace(record), settled: { ...settled, cause: former ?? cause } };
}

/** The record of a run that nobody will repeat: nobody has to know its trace. */
export function withoutTrace({ trace: _trace, ...record }: RunRecord): RunRecord {
  return record;
}

/**
 * What stands for the runs of a job that was shared with Java, which leave no record: everything up to a fire time is
 * done, so nobody catches up on it.
 */
export function sharedRunRecord(run: string, fireTime: number, at: number): RunRecord {
  return passedRunRecord(run, 'java', fireTime, at);
}

/** What stands for fire times that an item does not owe: everything up to this one is done. @param by who says so */
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
  return isObject(value) && isJsonNumber(value['fireTime']) && isString(value['origin']);
}

function isSettledRun(value: unknown): value is SettledRun {
  return isObject(value) && isJsonNumber(value['at']) && isString(value['outcome']);
}

function isEarlyRuns(value: unknown): value is EarlyRuns {
  if (!isObject(value)) return false;
  const { after, until, fireTimes } = value;
  return isJsonNumber(after) && isJsonNumber(until) && Array.isArray(fireTimes) && fireTimes.every(isJsonNumber);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

/** None if the text is no JSON object. */
function parseFields(text: string): Readonly<Record<string, unknown>> {
  const value = readJson(text);
  return isObject(value) ? value : {};
}
