import { expect, it } from 'vitest';
import { isOff, offsetOf } from './clock.js';

it.each([
  [0, { amountMs: 0, is: 'same' }],
  [250, { amountMs: 250, is: 'ahead' }],
  [-3_000, { amountMs: 3_000, is: 'behind' }],
])('an offset of %i ms is told as its amount and its direction', (offsetMs, told) => {
  expect(offsetOf(offsetMs)).toEqual(told);
});

it('a clock is off from ten seconds on, and never if nobody knows it', () => {
  expect([9_999, -10_000, 10_000, null].map(isOff)).toEqual([false, true, true, false]);
});
