import { expect, it } from 'vitest';
import { countWhile } from './count-while.js';

it.each([
  [[], 0],
  [[1], 1],
  [[5], 0],
  [[1, 2, 3], 3],
  [[1, 2, 3, 4, 5], 3],
  [[3, 3, 4, 4, 4, 9], 2],
])('counts the first members of %j that are below 4: %i', (list, count) => {
  expect(countWhile(list, (member) => member < 4)).toBe(count);
});
