import type { History } from '../history.js';

/** A promise that a history has broken. */
export interface Violation {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly message: string;
  /** Text that the log's lines about it have in common. */
  readonly about: string;
}

/** One promise with its checker. Numbers 1 to 16 are those of the field study, 17 to 22 the issue's. */
export interface Invariant {
  readonly number: number;
  readonly name: string;
  readonly check: (history: History) => readonly Violation[];
}

/** Reason why a case is not judged: the process that should have acted was cut off, stood still, or the like. */
export const DISTURBED = 'its process was disturbed';

/** Key of an item in the log. */
export function itemKey(jobName: string, item: number): string {
  return `${jobName}/${item}`;
}

/** Groups by item, and keeps the order. */
export function byItem<T extends { readonly jobName: string; readonly item: number }>(
  all: readonly T[],
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = itemKey(one.jobName, one.item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return groups;
}

export function timeOf(at: number): string {
  return new Date(at).toISOString().slice(11, 23);
}
