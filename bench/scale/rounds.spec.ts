import { describe, expect, it } from 'vitest';
import { countedOf, type Round, valuesOf } from './rounds.js';

const quick = (value: number) => ({ value, isSlow: false });
const slow = (value: number) => ({ value, isSlow: true });

describe('rounds that count', () => {
  it('are all of them on quick processors', () => {
    expect(countedOf([quick(1), quick(3), quick(2)], 3)).toEqual({ values: [1, 3, 2], isSlow: false });
  });

  it('are those on quick processors, if a repeat has made enough of them, be they better or worse', () => {
    expect(countedOf([quick(1), slow(9), quick(2), quick(3)], 3)).toEqual({ values: [1, 2, 3], isSlow: false });
    expect(countedOf([quick(9), slow(1), quick(9), quick(9)], 3)).toEqual({ values: [9, 9, 9], isSlow: false });
  });

  it('are the first ones, and the machine was slow, as long as there are too few others', () => {
    expect(countedOf([quick(1), slow(9), quick(2)], 3)).toEqual({ values: [1, 9, 2], isSlow: true });
  });

  it('have no repeat on slow processors, so a row is not repeated until it is kept by luck', () => {
    expect(countedOf([slow(9), slow(9), quick(9), slow(1), slow(1), slow(1), quick(1)], 3)).toEqual({
      values: [9, 9, 9],
      isSlow: true,
    });
  });

  it('have each one that failed, since no slow processor explains that', () => {
    expect(countedOf([slow(Infinity), slow(Infinity), quick(2)], 3)).toEqual({
      values: [Infinity, Infinity, 2],
      isSlow: false,
    });
  });

  it('are none of what cannot be measured', () => {
    expect(countedOf([], 3)).toEqual({ values: [], isSlow: false });
  });
});

describe('values of a figure', () => {
  const round = (figures: Round['figures'], ...pieces: number[]): Round => ({ figures, pieces });

  it('are slow if many pieces beside the round were slower than the fastest of the run', () => {
    expect(valuesOf([round({ p99: 7 }, 2, 2, 2, 4), round({ p99: 8 }, 2, 2, 4, 4)], 'p99', Infinity, 2)).toEqual([
      quick(7),
      slow(8),
    ]);
  });

  it('are the worst for a round that failed or did not end', () => {
    expect(valuesOf([round(undefined, 2), round({ p99: Number.NaN }, 2)], 'p99', Infinity, 2)).toEqual([
      quick(Infinity),
      quick(Infinity),
    ]);
  });

  it('are none on a machine that lacks what is measured', () => {
    expect(valuesOf([round({}, 2)], 'p99', Infinity, 2)).toEqual([]);
  });

  it('must have been measured', () => {
    expect(() => valuesOf([round({ p50: 1 }, 2)], 'p99', Infinity, 2)).toThrow('There is no figure p99.');
  });
});
