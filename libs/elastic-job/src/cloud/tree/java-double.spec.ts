import { expect, it } from 'vitest';
import { formatJavaDouble } from './java-double.js';

it.each([
  [1, '1.0'],
  [0.1, '0.1'],
  [2.5, '2.5'],
  [0, '0.0'],
  [-0, '-0.0'],
  [0.001, '0.001'],
  [0.0005, '5.0E-4'],
  [9_999_999, '9999999.0'],
  [1e7, '1.0E7'],
  [12_345_678.9, '1.23456789E7'],
  [-1e21, '-1.0E21'],
])('writes %d as Java does: %s', (value, text) => {
  expect(formatJavaDouble(value)).toBe(text);
});
