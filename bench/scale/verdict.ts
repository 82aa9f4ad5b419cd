import { median } from './statistics.js';

/** Limit of a figure; `none`: the figure is printed, and not judged. */
export type Wanted =
  | { readonly kind: 'at most'; readonly value: number }
  | { readonly kind: 'at least'; readonly value: number }
  | { readonly kind: 'none' };

export type Verdict = 'kept' | 'short' | 'invalid' | 'skipped' | '';

/** The p99 of one bare write on an idle machine, in milliseconds. Above it the machine is too busy to measure time. */
export const MOST_BARE_MS = 3;

/**
 * The machine while a row was measured. `busy`: the figure means nothing. `slow`: its processors were slower than they
 * can be, so a good figure is good, and a bad one means nothing.
 */
export type Machine = 'quiet' | 'slow' | 'busy';

/** True if the bare client's writes were as fast as on a quiet machine. @param p99s one of each round */
export function isQuiet(p99s: readonly number[]): boolean {
  return median(p99s) <= MOST_BARE_MS;
}

/** Judges the median of the rounds. @param machine `quiet` for a figure that the machine does not change */
export function verdictOf(values: readonly number[], wanted: Wanted, machine: Machine): Verdict {
  if (values.length === 0) return 'skipped';
  if (machine === 'busy') return 'invalid';
  if (wanted.kind === 'none') return '';
  const value = median(values);
  const isKept = wanted.kind === 'at most' ? value <= wanted.value : value >= wanted.value;
  if (isKept) return 'kept';
  // An event that never happened falls short on any machine.
  return machine === 'slow' && Number.isFinite(value) ? 'invalid' : 'short';
}

/** 0: every row is kept; 1: a row falls short; 2: the machine was too busy or too slow to judge a row. */
export function exitCodeOf(verdicts: readonly Verdict[]): 0 | 1 | 2 {
  if (verdicts.includes('invalid')) return 2;
  return verdicts.includes('short') ? 1 : 0;
}
