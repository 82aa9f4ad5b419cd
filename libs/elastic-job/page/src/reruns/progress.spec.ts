import { describe, expect, it } from 'vitest';
import { progressOf } from './progress.js';

const RERUN = {
  id: 'r1',
  at: '2026-11-30T03:00:00.000Z',
  items: [5, 3],
  fireTimes: ['2026-11-22T02:00:00.000Z', '2026-11-23T02:00:00.000Z'],
  parameters: null,
  anyTime: false,
  withdrawn: false,
  targets: 4,
  progress: [{ item: 5, ended: 2, failed: 1 }],
  waitsFor: [],
};

describe('the progress of a re-run', () => {
  it('is that of all its items, also of one that has ended nothing yet', () => {
    expect(progressOf(RERUN)).toEqual({
      ended: 2,
      failed: 1,
      total: 4,
      left: 2,
      items: [
        { item: 3, ended: 0, failed: 0, left: 2 },
        { item: 5, ended: 2, failed: 1, left: 0 },
      ],
    });
  });

  it('is nothing at first', () => {
    expect(progressOf({ ...RERUN, progress: [] })).toMatchObject({ ended: 0, failed: 0, left: 4 });
  });
});
