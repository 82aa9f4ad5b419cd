import { expect, it } from 'vitest';
import { fewNames } from './wording.js';

it('names all of a few', () => {
  expect(fewNames([])).toBe('');
  expect(fewNames(['a', 'b'])).toBe('a, b');
  expect(fewNames(numbered(20))).toBe(numbered(20).join(', '));
});

it('names the first of many, and the number of the others', () => {
  expect(fewNames(numbered(3_000))).toBe(`${numbered(20).join(', ')} and 2980 more`);
});

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `peer-${index}`);
}
