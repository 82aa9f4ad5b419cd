import { expect, it } from 'vitest';
import { fewNames, findNearestName } from './wording.js';

it('names all of a few', () => {
  expect(fewNames([])).toBe('');
  expect(fewNames(['a', 'b'])).toBe('a, b');
  expect(fewNames(numbered(20))).toBe(numbered(20).join(', '));
});

it('names the first of many, and the number of the others', () => {
  expect(fewNames(numbered(3_000))).toBe(`${numbered(20).join(', ')} and 2980 more`);
});

it.each([
  ['settel', 'settle'],
  ['SETTLE', 'settle'],
  ['setl', 'settle'],
  ['set', undefined],
  ['jobErrorHandler', 'jobErrorHandlerType'],
  ['job', undefined],
])('names what was probably meant by %s: %s', (given, meant) => {
  expect(findNearestName(given, ['settle', 'jobErrorHandlerType'])).toBe(meant);
});

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `peer-${index}`);
}
