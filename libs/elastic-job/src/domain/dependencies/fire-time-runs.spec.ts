import { describe, expect, it } from 'vitest';
import { formatFireTimes, parseFireTimes } from './fire-time-runs.js';

describe('fire times in short', () => {
  it('take two numbers for each run of equal steps, after the first time', () => {
    expect(formatFireTimes([10, 20, 30, 50, 60])).toEqual([10, 10, 2, 20, 1, 10, 1]);
    expect(formatFireTimes([10])).toEqual([10]);
    expect(formatFireTimes([])).toEqual([]);
  });

  it.each([[[]], [[7]], [[7, 8]], [[10, 20, 30, 50, 60, 61]]])('stay the same once written and read: %j', (times) => {
    expect(parseFireTimes(formatFireTimes(times), 6)).toEqual(times);
  });

  it.each([undefined, '10', ['10'], [10, 1.5, 1], [10, 10], [10, 0, 1], [10, -1, 1], [10, 1, 6], [10, 1, 1e15]])(
    'are not read from %j, which is no list of at most six fire times',
    (value) => {
      expect(parseFireTimes(value, 6)).toBeUndefined();
    },
  );
});
