import { describe, expect, it } from 'vitest';
import { fitting } from './trace-row.js';

describe('fitting', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'abc'],
    ['ab😀', 4, 'ab😀'],
    ['ab😀', 3, 'ab'],
    ['a\0b', 2, 'ab'],
    ['', 3, ''],
  ])('cuts %j to what fits a column of %i units', (text, units, fits) => {
    expect(fitting(text, units)).toBe(fits);
  });
});
