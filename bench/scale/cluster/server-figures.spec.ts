import { describe, expect, it } from 'vitest';
import { parseStat, parseWatches } from './server-figures.js';

describe('processor time of a process', () => {
  it('is what it spent itself and in the kernel, whatever its name is', () => {
    const stat = '42 (java (x) y) S 1 42 42 0 -1 4194560 17 0 0 0 250 50 9 9 20 0 30 0 100 5000 600';

    expect(parseStat(stat)).toBe(3_000);
  });
});

describe('watches by session', () => {
  it('are counted from the lines of "wchc"', () => {
    expect(parseWatches('0x1\n\t/scale/job-0\n\t/scale/job-1\n0x2f\n\t/scale/job-0\n')).toEqual(
      new Map([
        ['1', 2],
        ['2f', 1],
      ]),
    );
  });
});
