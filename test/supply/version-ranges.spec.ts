import { describe, expect, it } from 'vitest';
import { admits, isWithin } from './version-ranges.js';

const BELOW = { below: '0.28.17' };
const BETWEEN = { from: '11.0.0', below: '11.0.16' };

describe('isWithin', () => {
  it.each(['0.28.16', '0.28.0', '0.1.0', '0.28.16-rc.1'])('given %s, then it is below 0.28.17', (version) => {
    expect(isWithin(version, BELOW)).toBe(true);
  });

  it.each(['0.28.17', '0.28.18', '0.29.0', '1.0.0'])('given %s, then it is not', (version) => {
    expect(isWithin(version, BELOW)).toBe(false);
  });

  it('given a span with a first version, when a version is below that, then it is outside', () => {
    expect(['10.9.9', '11.0.0', '11.0.15', '11.0.16'].map((version) => isWithin(version, BETWEEN))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it('given no version, when it is judged, then it is refused', () => {
    expect(() => isWithin('latest', BELOW)).toThrow(RangeError);
  });
});

describe('admits', () => {
  it.each(['^0.28.0', '0.28.16', '^0.28.16 || ^1.0.0', '^1.0.0 || ^0.27.0', '^0.0.3'])(
    'given %s, then it lets in a version below 0.28.17',
    (range) => {
      expect(admits(range, BELOW)).toBe(true);
    },
  );

  it.each(['^0.28.17', '0.28.17', '^0.28.17 || ^1.0.0', '^0.29.0'])('given %s, then it lets in none', (range) => {
    expect(admits(range, BELOW)).toBe(false);
  });

  it.each([
    ['^11.0.0', true],
    ['^11.0.16 || ^12.0.0', false],
    ['^10.0.0', false],
    ['10.9.9', false],
  ])('given %s and a span from 11.0.0 below 11.0.16, then the answer is %s', (range, expected) => {
    expect(admits(range, BETWEEN)).toBe(expected);
  });

  it.each(['*', '>=1.0.0', '~1.2.3', '1.x', ''])('given "%s", when it is judged, then it is refused', (range) => {
    expect(() => admits(range, BELOW)).toThrow(RangeError);
  });
});
