import type { ExecutorDeathState } from './executor-death.error.js';
import type { ShardOutcomeKind } from './shard-outcome.js';
import { isSameTarget, type Target, triggerIdOf } from './trigger.js';

/**
 * The text of `sharding/{item}/record`: what the last run of the item by one of our instances was. Written by begin and
 * settle against the node's version, so it makes the begin a compare-and-set. Java knows no such node.
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
   * The last fire time of the schedule that was begun or given up, if the target is an operator's or an earlier one; undefined
   * if there was none.
   */
  readonly lastScheduled?: number;
  /** The instant after which the schedule's fire times are the item's debt while only operators have run it; else undefined. */
  readonly owesAfter?: number;
  /** The triggers of operators that the item was begun for before, by their ids, the latest ones, oldest first; undefined: none. */
  readonly triggers?: readonly string[];
  readonly settled?: SettledRun;
  /** How often an executor of this target has died; undefined: never. */
  readonly executorDeaths?: number;
  /**
   * The run's W3C `traceparent`, for whoever traces its repetition; undefined: nobody traces it, or nobody will repeat it. (The
   * name is short: a job has at most as many items as their records fit one request.)
   */
  readonly trace?: string;
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
 * place in the failover queue (`overflow`), or lost that place as the job was disabled (`purged`).
 */
export type SettleCause = ExecutorDeathState | 'overflow' | 'purged';

/** A record as it stands in the tree. `foreign`: written by a version of this package that this one cannot judge. */
export type StoredRecord =
  | { readonly kind: 'none' }
  | { readonly kind: 'record'; readonly record: RunRecord }
  | { readonly kind: 'foreign'; readonly text: string };

const RECORD_VERSION = 1;
/** So many operators' triggers may overtake each other while an item moves. */
export const KEPT_TRIGGERS = 4;

export function formatRunRecord(record: RunRecord): string {
  return JSON.stringify({ v: RECORD_VERSION, ...record });
}

export function parseRunRecord(text: string): StoredRecord {
  if (text === '') return { kind: 'none' };
  const value = parseJson(text);
  if (!isRecordText(value)) return { kind: 'foreign', text };
  const { v: _version, ...record } = value;
  return { kind: 'record', record };
}

/** True if the record shows a run of this target, finished or not. */
export function hasBegun(stored: StoredRecord, target: Target): boolean {
  return stored.kind === 'record' && isSameTarget(stored.record.target, target);
}

/**
 * The last fire time of the schedule that the item was begun for, or that was given up: none up to it is begun any more. A run
 * that an operator has asked for neither hides it nor counts as one. Undefined: there was none, or nobody can say.
 */
export function lastScheduledOf(stored: StoredRecord): number | undefined {
  if (stored.kind !== 'record') return undefined;
  const { target, lastScheduled } = stored.record;
  return target.origin === 'schedule' ? Math.max(target.fireTime, lastScheduled ?? -Infinity) : lastScheduled;
}

/**
 * The instant after which the fire times of the schedule are the item's debt. An item that only operators have run so far owes
 * what has come since the first of them. Undefined: there was no run, or nobody can say.
 */
export function owesAfter(stored: StoredRecord): number | undefined {
  return lastScheduledOf(stored) ?? (stored.kind === 'record' ? stored.record.owesAfter : undefined);
}

/**
 * The instant after which an item owes fire times that an operator's trigger is the first to run. The holder's own clock will
 * bring it those after the begin, and the operator's tells what came before he asked: the earlier of both counts, so that
 * clocks that differ hide none.
 */
export function firstDebtOf({ begunAt, target }: RunRecord): number | undefined {
  return triggerIdOf(target.origin) === undefined ? undefined : Math.min(target.fireTime, begunAt);
}

/**
 * The triggers of operators that the item was begun for, by their ids, as many as a record keeps, oldest first. All instances
 * are asked for a run: an item that moves meanwhile could run for both its owners.
 */
export function triggersOf(stored: StoredRecord): readonly string[] {
  if (stored.kind !== 'record') return [];
  const { target, triggers = [] } = stored.record;
  const id = triggerIdOf(target.origin);
  // A failover of it has been begun for the same trigger before.
  if (id === undefined || triggers.includes(id)) return triggers;
  return [...triggers, id].slice(-KEPT_TRIGGERS);
}

/** The deaths of executors that a target has suffered so far. */
export function executorDeathsOf(stored: StoredRecord, target: Target): number | undefined {
  return hasBegun(stored, target) && stored.kind === 'record' ? stored.record.executorDeaths : undefined;
}

/** What names the former run of a target that is repeated; undefined: there was none, or nobody has traced it. */
export function traceparentOf(stored: StoredRecord, target: Target): string | undefined {
  return hasBegun(stored, target) && stored.kind === 'record' ? stored.record.trace : undefined;
}

/** The record of a run that nobody will repeat although it was not done. @param at milliseconds since the epoch */
export function droppedRunRecord(record: RunRecord, at: number, cause: 'overflow' | 'purged'): RunRecord {
  const { isOwed: _isOwed, ...settled } = record.settled ?? { at, outcome: 'aborted' };
  return { ...withoutTrace(record), settled: { ...settled, cause: settled.cause ?? cause } };
}

/** The record of a run that nobody will repeat: nobody has to know its trace. */
export function withoutTrace({ trace: _trace, ...record }: RunRecord): RunRecord {
  return record;
}

/**
 * What stands for the runs of a job that was shared with Java, which leave no record: everything up to a fire time is
 * done, so nobody makes up for it.
 */
export function sharedRunRecord(run: string, fireTime: number, at: number): RunRecord {
  return passedRunRecord(run, 'java', fireTime, at);
}

/** What stands for fire times that are no debt of an item: everything up to this one is done. @param by who says so */
export function passedRunRecord(run: string, by: string, fireTime: number, at: number): RunRecord {
  const target = { fireTime, origin: 'schedule' } as const;
  return { run, by, target, attempt: 1, begunAt: fireTime, settled: { at, outcome: 'succeeded' } };
}

interface RecordText extends RunRecord {
  readonly v: number;
}

function isRecordText(value: unknown): value is RecordText {
  if (typeof value !== 'object' || value === null) return false;
  const { v, run, by, target, settled } = value as Partial<RecordText>;
  return (
    v === RECORD_VERSION &&
    typeof run === 'string' &&
    typeof by === 'string' &&
    typeof target?.fireTime === 'number' &&
    typeof target.origin === 'string' &&
    (settled === undefined || typeof settled?.outcome === 'string')
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
