import { expect, it } from 'vitest';
import { fieldsBut, isObject, readFields } from './json-fields.js';

it('the fields of an object are read, whichever version wrote it', () => {
  expect(readFields('{"v":2,"new":[1]}')).toEqual({ v: 2, new: [1] });
});

it.each(['null', '[1]', '7', '"text"', 'true', '', '{'])('%j has no fields', (text) => {
  expect(readFields(text)).toBeUndefined();
});

it('the fields of a later version are those that this one does not know', () => {
  expect(fieldsBut({ v: 2, new: [1] }, ['v'])).toEqual({ new: [1] });
});

it.each<[unknown, boolean]>([
  [{}, true],
  [new Map(), true],
  [[], false],
  [null, false],
  [undefined, false],
  ['text', false],
  [() => {}, false],
])('%o is an object: %s', (value, expected) => {
  expect(isObject(value)).toBe(expected);
});
