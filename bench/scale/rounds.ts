import { isSlow as wereSlow } from './machine-speed.js';
import type { Figures } from './measures/measurement.js';

/** One round of a measurement. */
export interface Round {
  /** Undefined for a round that failed. */
  readonly figures: Figures | undefined;
  /** Times of the fixed piece of work beside it, in milliseconds. */
  readonly pieces: readonly number[];
}

/** A round's value of one row. */
export interface RoundValue {
  /** Infinite for a round that failed, or an event that never happened. */
  readonly value: number;
  /** True if the processors were slow during the round. */
  readonly isSlow: boolean;
}

/** The values of a row that are judged. */
export interface Counted {
  readonly values: readonly number[];
  /** True if too many rounds were slow to judge without them. */
  readonly isSlow: boolean;
}

/**
 * Leaves the rounds on slow processors out, if enough others are there. Otherwise the first rounds count, and no
 * repeat: who repeats a row until it is kept, keeps it by luck. An infinite value counts always, since nothing that
 * fails is explained by slow processors.
 * @param least number of rounds that are enough
 */
export function countedOf(values: readonly RoundValue[], least: number): Counted {
  const counted = values.filter((of) => !of.isSlow || !Number.isFinite(of.value));
  const isEnough = counted.length >= Math.min(least, values.length);
  return { values: (isEnough ? counted : values.slice(0, least)).map(({ value }) => value), isSlow: !isEnough };
}

/** Times of the fixed piece of work beside all measurements. */
export function piecesOf(rounds: Iterable<readonly Round[]>): readonly number[] {
  return [...rounds].flatMap((ofMeasurement) => ofMeasurement.flatMap(({ pieces }) => pieces));
}

/**
 * The values of one figure, round by round.
 * @param worst the value of a round that failed or did not end
 * @returns none if it cannot be measured on this machine
 * @throws {TypeError} if the measurement has no such figure
 */
export function valuesOf(
  rounds: readonly Round[],
  figure: string,
  worst: number,
  fastestMs: number,
): readonly RoundValue[] {
  return rounds.flatMap(({ figures, pieces }) => {
    const isSlow = wereSlow(fastestMs, pieces);
    if (figures === undefined) return { value: worst, isSlow };
    if (Object.keys(figures).length === 0) return [];
    const value = figures[figure];
    if (value === undefined) throw new TypeError(`There is no figure ${figure}.`);
    return { value: Number.isNaN(value) ? worst : value, isSlow };
  });
}
