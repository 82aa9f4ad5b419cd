import { describe, expect, it } from 'vitest';
import { median, percentile, withMissing } from './statistics.js';

describe('percentile', () => {
  it('is the least value that this share of the values does not exceed', () => {
    const values = Array.from({ length: 100 }, (_, n) => 100 - n);

    expect([0, 0.5, 0.99, 1].map((share) => percentile(values, share))).toEqual([1, 50, 99, 100]);
  });

  it('of a single value is that value', () => {
    expect(percentile([7], 0.99)).toBe(7);
  });

  it('of nothing is refused', () => {
    expect(() => percentile([], 0.5)).toThrow(RangeError);
  });

  it('leaves the values in their order', () => {
    const values = [3, 1, 2];
    percentile(values, 0.5);

    expect(values).toEqual([3, 1, 2]);
  });
});

describe('median', () => {
  it.each([
    [[5], 5],
    [[9, 1, 2], 2],
    [[4, 1, 2, 9], 3],
  ])('of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it('of nothing is refused', () => {
    expect(() => median([])).toThrow(RangeError);
  });
});

describe('lateness of what was due', () => {
  it('makes each run that was not done infinitely late', () => {
    expect(withMissing([1, 2], 4)).toEqual([1, 2, Infinity, Infinity]);
  });

  it('shows in the p99 once more than one of a hundred runs is missing', () => {
    const done = Array.from({ length: 98 }, () => 1);

    expect(percentile(withMissing(done, 100), 0.99)).toBe(Infinity);
    expect(percentile(withMissing([...done, 1], 100), 0.99)).toBe(1);
  });
});
