import { expect, it } from 'vitest';
import { fireTimes } from './fire-times.js';

it('gives each tick a later fire time, although the clock stands still or was set back', () => {
  const shown = [1_000, 1_000, 990, 1_002, 1_005];
  const next = fireTimes({ wallNow: () => shown.shift()! });

  const given = [next(), next(), next(), next(), next()];

  expect(given).toEqual([1_000, 1_001, 1_002, 1_003, 1_005]);
});
