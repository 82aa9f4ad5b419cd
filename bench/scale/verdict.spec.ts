import { describe, expect, it } from 'vitest';
import { exitCodeOf, isQuiet, verdictOf, type Wanted } from './verdict.js';

const AT_MOST: Wanted = { kind: 'at most', value: 10 };
const AT_LEAST: Wanted = { kind: 'at least', value: 10 };

describe('verdict of a row', () => {
  it.each<[readonly number[], Wanted, string]>([
    [[10], AT_MOST, 'kept'],
    [[10.1], AT_MOST, 'short'],
    [[10], AT_LEAST, 'kept'],
    [[9.9], AT_LEAST, 'short'],
    [[1_000], { kind: 'none' }, ''],
    [[Infinity], AT_MOST, 'short'],
  ])('of %j that is wanted %j is "%s"', (values, wanted, expected) => {
    expect(verdictOf(values, wanted, 'quiet')).toBe(expected);
  });

  it('goes by the median of the rounds, not by the worst or the best of them', () => {
    expect(verdictOf([9, 500, 8], AT_MOST, 'quiet')).toBe('kept');
    expect(verdictOf([11, 1, 12], AT_MOST, 'quiet')).toBe('short');
  });

  it('is "invalid" on a busy machine, however good the figure is', () => {
    expect(verdictOf([1], AT_MOST, 'busy')).toBe('invalid');
  });

  it('is "invalid" instead of "short" if the processors were slow', () => {
    expect(verdictOf([11], AT_MOST, 'slow')).toBe('invalid');
    expect(verdictOf([10], AT_MOST, 'slow')).toBe('kept');
  });

  it('is "short" also on slow processors if the event never happened', () => {
    expect(verdictOf([Infinity], AT_MOST, 'slow')).toBe('short');
  });

  it('is "skipped" if nothing could be measured', () => {
    expect(verdictOf([], AT_MOST, 'quiet')).toBe('skipped');
  });
});

describe('a machine', () => {
  it('is quiet if the median of the bare p99s is at most 3 ms', () => {
    expect(isQuiet([3, 50, 1])).toBe(true);
    expect(isQuiet([3.1, 50, 1])).toBe(false);
  });
});

describe('exit code of a run', () => {
  it('is 0 if every row is kept, or is none to be judged', () => {
    expect(exitCodeOf(['kept', '', 'skipped'])).toBe(0);
  });

  it('is 1 if a row falls short', () => {
    expect(exitCodeOf(['kept', 'short'])).toBe(1);
  });

  it('is 2 if the run is invalid, also where another row falls short', () => {
    expect(exitCodeOf(['short', 'invalid', 'kept'])).toBe(2);
  });
});
