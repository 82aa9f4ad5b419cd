import { expect, it } from 'vitest';
import { OwnRuns } from './own-runs.js';

it('knows an item as its own run until each of its begins has ended', () => {
  const runs = new OwnRuns();
  expect(runs.has(0)).toBe(false);

  runs.enter([0, 1]);
  runs.enter([0]);
  runs.leave([0, 1]);
  expect([runs.has(0), runs.has(1)]).toEqual([true, false]);
  runs.leave([0]);
  expect(runs.has(0)).toBe(false);

  runs.leave([0]);
  runs.enter([0]);
  expect(runs.has(0)).toBe(true);
});
