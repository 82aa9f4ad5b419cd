import { isInstant, readFields } from '../node-text.js';
import type { ShardOutcomeKind } from './shard-outcome.js';
import { rerunOrigin, type Target } from './trigger.js';

/** Limits of re-runs. `fireTimes`: of one re-run; the others count all open ones of a job. */
export const RERUN_LIMITS = { open: 16, fireTimes: 100, targets: 10_000 } as const;

/** Past fire times that an operator wants once more for some items. The text of `reruns/{id}`. */
export interface Rerun {
  /** When it was asked for, in milliseconds since the epoch. */
  readonly at: number;
  /** Ascending, without doubles. */
  readonly items: readonly number[];
  /** Ascending, without doubles, in milliseconds since the epoch. Each item runs them in this order. */
  readonly fireTimes: readonly number[];
  /** Passed to the handlers. */
  readonly parameters?: string;
  /** True if it may have fire times that the schedule lacks. */
  readonly anyTime?: boolean;
  /** True once it is withdrawn: nothing more of it begins. */
  readonly withdrawn?: boolean;
}

/**
 * How far an item has come with a re-run. The text of `reruns/{id}/{item}`, which does not exist before its first end.
 */
export interface RerunProgress {
  /** Fire times that have ended: the first ones. */
  readonly ended: number;
  /** Those of them that have ended without success. */
  readonly failed: number;
}

const VERSION = 1;
const NOTHING: RerunProgress = { ended: 0, failed: 0 };

/** Number of targets: one for each item and fire time. */
export function rerunTargets({ fireTimes, items }: Pick<Rerun, 'fireTimes' | 'items'>): number {
  return items.length * fireTimes.length;
}

/** True if the re-run has the item. */
export function hasRerunItem({ items }: Rerun, item: number): boolean {
  return items.includes(item);
}

/**
 * The next target of an item; undefined if it has none: all have ended, or the re-run is withdrawn or does not have the
 * item.
 * @param id of the re-run
 */
export function nextRerunTarget(
  id: string,
  rerun: Rerun,
  item: number,
  { ended }: RerunProgress = NOTHING,
): Target | undefined {
  const { fireTimes, parameters, withdrawn = false } = rerun;
  const fireTime = fireTimes[ended];
  if (withdrawn || fireTime === undefined || !hasRerunItem(rerun, item)) return undefined;
  return { fireTime, origin: rerunOrigin(id), ...(parameters !== undefined && { parameters }) };
}

/** Progress of an item once the target of a fire time has ended; undefined if that adds nothing to it. */
export function progressAfter(
  { fireTimes }: Rerun,
  { ended, failed }: RerunProgress = NOTHING,
  fireTime: number,
  outcome: ShardOutcomeKind,
): RerunProgress | undefined {
  const index = fireTimes.indexOf(fireTime);
  return index < ended ? undefined : { ended: index + 1, failed: failed + (outcome === 'succeeded' ? 0 : 1) };
}

/**
 * True if nothing of a re-run is left to do: all fire times of all its items have ended, but for those of items beyond
 * the total, which are withdrawn.
 */
export function isRerunDone(
  { fireTimes, items }: Rerun,
  shardingTotalCount: number,
  progressOf: (item: number) => RerunProgress | undefined,
): boolean {
  const left = items.filter((item) => item < shardingTotalCount);
  return left.every((item) => (progressOf(item) ?? NOTHING).ended >= fireTimes.length);
}

/** Open re-runs in the order in which an item runs them: the one that was asked for first goes first. */
export function inOrderOfReruns<T extends { readonly id: string; readonly rerun: Rerun }>(reruns: readonly T[]): T[] {
  return reruns.toSorted((a, b) => a.rerun.at - b.rerun.at || (a.id < b.id ? -1 : 1));
}

export function formatRerun({ at, items, fireTimes, parameters, anyTime, withdrawn }: Rerun): string {
  return JSON.stringify({ v: VERSION, at, items, fireTimes, parameters, anyTime, withdrawn });
}

/** @returns undefined for a damaged text, of which nothing begins */
export function parseRerun(text: string): Rerun | undefined {
  const { at, items, fireTimes, parameters, anyTime, withdrawn } = readFields(text) ?? {};
  if (!isInstant(at) || !isAscending(items, isItem) || !isAscending(fireTimes, isInstant)) return undefined;
  if (items.length === 0 || fireTimes.length === 0 || fireTimes.length > RERUN_LIMITS.fireTimes) return undefined;
  if (rerunTargets({ items, fireTimes }) > RERUN_LIMITS.targets) return undefined;
  return {
    at,
    items,
    fireTimes,
    ...(typeof parameters === 'string' && { parameters }),
    ...(anyTime === true && { anyTime }),
    ...(withdrawn === true && { withdrawn }),
  };
}

export function formatRerunProgress({ ended, failed }: RerunProgress): string {
  return JSON.stringify({ ended, failed });
}

/** A damaged text counts as none: in doubt a target runs once more. */
export function parseRerunProgress(text: string): RerunProgress | undefined {
  const { ended, failed } = readFields(text) ?? {};
  return isItem(ended) ? { ended, failed: isItem(failed) ? Math.min(failed, ended) : 0 } : undefined;
}

function isAscending(value: unknown, isValue: (value: unknown) => value is number): value is readonly number[] {
  if (!Array.isArray(value)) return false;
  const values: readonly unknown[] = value;
  return values.every(isValue) && values.every((one, n) => n === 0 || one > values[n - 1]!);
}

function isItem(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
