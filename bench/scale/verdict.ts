import { median } from './statistics.js';

/** Limit of a figure; `none`: the figure is printed, and not judged. */
export type Wanted =
  | { readonly kind: 'at most'; readonly value: number }
  | { readonly kind: 'at least'; readonly value: number }
  | { readonly kind: 'none' };

export type Verdict = 'kept' | 'short' | 'invalid' | 'skipped' | '';

/** The p99 of one bare write on an idle machine, in milliseconds. Above it the machine is too busy to measure time. */
export const MOST_BARE_MS = 3;

/** True if the bare client's writes were as fast as on a quiet machine. @param p99s one of each round */
export function isQuiet(p99s: readonly number[]): boolean {
  return median(p99s) <= MOST_BARE_MS;
}

/**
 * Judges the median of the rounds.
 * @param isValid false if the machine was busy, and that changes the figure
 */
export function verdictOf(values: readonly number[], wanted: Wanted, isValid: boolean): Verdict {
  if (values.length === 0) return 'skipped';
  if (!isValid) return 'invalid';
  switch (wanted.kind) {
    case 'none':
      return '';
    case 'at most':
      return median(values) <= wanted.value ? 'kept' : 'short';
    case 'at least':
      return median(values) >= wanted.value ? 'kept' : 'short';
    default:
      return wanted satisfies never;
  }
}

/** 0: every row is kept; 1: a row falls short; 2: the machine was too busy, and the result means nothing. */
export function exitCodeOf(verdicts: readonly Verdict[]): 0 | 1 | 2 {
  if (verdicts.includes('invalid')) return 2;
  return verdicts.includes('short') ? 1 : 0;
}
