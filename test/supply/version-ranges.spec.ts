import { describe, expect, it } from 'vitest';
import { admits, isWithin } from './version-ranges.js';

const BELOW = { below: '0.28.17' };
const BETWEEN = { from: '11.0.0', below: '11.0.16' };

describe('isWithin', () => {
  it.each(['0.28.16', '0.28.0', '0.1.0', '0.28.16-rc.1'])('is true for %s below 0.28.17', (version) => {
    expect(isWithin(version, BELOW)).toBe(true);
  });

  it.each(['0.28.17', '0.28.18', '0.29.0', '1.0.0'])('is false for %s', (version) => {
    expect(isWithin(version, BELOW)).toBe(false);
  });

  it('is false below the first version of a span', () => {
    expect(['10.9.9', '11.0.0', '11.0.15', '11.0.16'].map((version) => isWithin(version, BETWEEN))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it('refuses a text that is no version', () => {
    expect(() => isWithin('latest', BELOW)).toThrow(RangeError);
  });
});

describe('admits', () => {
  it.each(['^0.28.0', '0.28.16', '^0.28.16 || ^1.0.0', '^1.0.0 || ^0.27.0', '^0.0.3'])(
    'is true for %s and versions below 0.28.17',
    (range) => {
      expect(admits(range, BELOW)).toBe(true);
    },
  );

  it.each(['^0.28.17', '0.28.17', '^0.28.17 || ^1.0.0', '^0.29.0'])('is false for %s', (range) => {
    expect(admits(range, BELOW)).toBe(false);
  });

  it.each([
    ['^11.0.0', true],
    ['^11.0.16 || ^12.0.0', false],
    ['^10.0.0', false],
    ['10.9.9', false],
  ])('has for %s and a span from 11.0.0 below 11.0.16 the answer %s', (range, expected) => {
    expect(admits(range, BETWEEN)).toBe(expected);
  });

  it.each(['*', '>=1.0.0', '~1.2.3', '1.x', ''])('refuses "%s"', (range) => {
    expect(() => admits(range, BELOW)).toThrow(RangeError);
  });
});
