import { expect, it } from 'vitest';
import { residentFireTime, residentPauseMs } from './resident.decision.js';

it('doubles the pause before each restart of an item that ends at once, up to 30 s', () => {
  const pauses: number[] = [];
  while (pauses.length < 11) pauses.push(residentPauseMs(pauses.at(-1), 5));
  expect(pauses).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]);
});

it.each([
  [59_999, 30_000],
  [60_000, 100],
])('sets the pause after a run of %i ms, which followed a pause of 30 s, to %i ms', (ranMs, pauseMs) => {
  expect(residentPauseMs(30_000, ranMs)).toBe(pauseMs);
});

it.each([
  [undefined, 5_000],
  [4_999, 5_000],
  [5_000, 5_001],
  [9_000, 9_001],
])('gives an item with the last target %s that begins at 5000 the fire time %i', (fireTime, expected) => {
  const target = { fireTime: fireTime ?? 0, origin: 'resident' } as const;
  const record = { run: 'r', by: 'a', target, attempt: 1, begunAt: 0 };
  const stored = fireTime === undefined ? ({ kind: 'none' } as const) : ({ kind: 'record', record } as const);
  expect(residentFireTime(stored, 5_000)).toBe(expected);
});
