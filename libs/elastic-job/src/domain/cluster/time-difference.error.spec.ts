import { expect, it } from 'vitest';
import { TimeDifferenceError } from './time-difference.error.js';

it.each([
  [4_000, "4000 ms ahead of the registry's"],
  [-4_000, "4000 ms behind the registry's"],
])('a trigger refused for a difference of %i ms is told which clock is ahead', (differenceMs, told) => {
  expect(new TimeDifferenceError('settle', differenceMs, 3).message).toContain(told);
});
