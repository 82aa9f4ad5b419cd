import { describe, expect, it } from 'vitest';
import { fieldsBut, findNodeTextFault, isObject, NODE_TEXT_LIMITS, readFields, readJson } from './node-text.js';

const nested = (open: string, levels: number, close: string) => open.repeat(levels) + close.repeat(levels);

describe('the text of a node', () => {
  it('is read up to 256 KB, counted in bytes, and refused beyond with both figures', () => {
    expect(findNodeTextFault('x'.repeat(262_144))).toBeUndefined();
    expect(findNodeTextFault('x'.repeat(262_145))).toBe('it has more than 262144 bytes');
    expect(findNodeTextFault('é'.repeat(131_073))).toBe('it has more than 262144 bytes');
  });
});

describe('the JSON of a node', () => {
  it.each<[string, unknown]>([
    ['{"a":[1,2,{"b":null}]}', { a: [1, 2, { b: null }] }],
    ['5', 5],
    ['"text"', 'text'],
  ])('is its value: %s', (text, value) => {
    expect(readJson(text)).toEqual(value);
  });

  it.each(['', '{"a":', 'hello', '[1]]'])('is nothing, if %o is none', (text) => {
    expect(readJson(text)).toBeUndefined();
  });

  it('is nothing beyond 256 KB', () => {
    expect(readJson(`"${'x'.repeat(NODE_TEXT_LIMITS.bytes - 2)}"`)).toHaveLength(NODE_TEXT_LIMITS.bytes - 2);
    expect(readJson(`"${'x'.repeat(NODE_TEXT_LIMITS.bytes - 1)}"`)).toBeUndefined();
  });

  it.each([
    ['lists', '[', ']'],
    ['mappings', '{"a":', '}'],
  ])('is read to 20 levels of %s, and not beyond', (_, open, close) => {
    const text = (levels: number) => `${open.repeat(levels)}1${close.repeat(levels)}`;
    expect(readJson(text(20))).toEqual(JSON.parse(text(20)));
    expect(readJson(text(21))).toBeUndefined();
  });

  it.each([
    ['lists that are closed', `[${Array.from({ length: 30 }, () => '[]').join()}]`],
    ['mappings that are closed', `[${Array.from({ length: 30 }, () => '{}').join()}]`],
    ['lists beside the deepest ones', `[[],[],[],${'['.repeat(19)}${']'.repeat(19)}]`],
    ['brackets in texts', JSON.stringify([nested('[', 30, ''), nested('{', 30, '')])],
    ['brackets after an escaped quote', JSON.stringify(`"${'['.repeat(30)}`)],
    ['brackets after an escaped backslash', JSON.stringify(['\\', '['.repeat(30)])],
  ])('has no level more for %s', (_, text) => {
    expect(readJson(text)).toEqual(JSON.parse(text));
  });

  it('has no level less for brackets that a text closes', () => {
    expect(readJson(`[${JSON.stringify(']}'.repeat(30))},${nested('[', 20, ']')}]`)).toBeUndefined();
  });

  it('has its levels after a text that ends with a backslash', () => {
    expect(readJson(`[${JSON.stringify('\\')},${nested('[', 20, ']')}]`)).toBeUndefined();
  });
});

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
