import { describe, expect, it } from 'vitest';
import { countAt, stacksOf } from './stacks.js';

const bucketOf = (succeeded: number, failed: number, aborted = 0) => ({
  from: '2026-11-30T02:00:00.000Z',
  to: '2026-11-30T02:15:00.000Z',
  succeeded,
  failed,
  aborted,
});

describe('bars of runs over time', () => {
  it('show one failure among thousands of runs, above what has succeeded', () => {
    const [bar = []] = stacksOf([bucketOf(10_000, 1)], 86);
    expect(bar.map(({ outcome }) => outcome)).toEqual(['succeeded', 'failed']);
    expect(bar[1]).toMatchObject({ height: 3, bottom: bar[0]!.height + 1 });
  });

  it('stay within their room, also with all kinds of ends', () => {
    for (const bar of stacksOf([bucketOf(10, 10, 10), bucketOf(0, 30), bucketOf(1, 1, 28)], 86)) {
      expect(bar.at(-1)!.bottom + bar.at(-1)!.height).toBeLessThanOrEqual(86);
    }
  });

  it('are nothing where nothing has run', () => {
    expect(stacksOf([bucketOf(0, 0)], 86)).toEqual([[]]);
    expect(countAt([bucketOf(1, 2), bucketOf(3, 4)], 'failed')).toBe(6);
  });
});
