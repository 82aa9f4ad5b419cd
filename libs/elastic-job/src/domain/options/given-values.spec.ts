import { expect, it } from 'vitest';
import { assertOptionsObject, findQuote, findQuotesAround } from './given-values.js';

const tagged = (tag: string) => ({ [Symbol.toStringTag]: tag });

it.each([{}, Object.create(null), ...['AppOptions', 'DateOptions', 'TraceError'].map(tagged)])(
  'takes an object of any class: %#',
  (options) => {
    expect(() => assertOptionsObject('a module', options)).not.toThrow();
  },
);

it.each([
  [undefined, 'Undefined'],
  [null, 'Null'],
  ['text', 'String'],
  [[], 'Array'],
  [new Map([['a', 1]]), 'Map'],
  [Promise.resolve({}), 'Promise'],
  [new Date(), 'Date'],
  [/a/, 'RegExp'],
  [new Set(), 'Set'],
  [new WeakMap(), 'WeakMap'],
  [new ArrayBuffer(1), 'ArrayBuffer'],
  [Buffer.alloc(0), 'Uint8Array'],
  [new URL('http://a'), 'URL'],
  [new TypeError('a'), 'Error'],
  [Object('text'), 'String'],
  [Object(1), 'Number'],
  [() => ({}), 'Function; call the function'],
])('refuses what has no named options: %#', (options, type) => {
  expect(() => assertOptionsObject('a module', options)).toThrow(`but are of type ${type}`);
});

it.each([
  [undefined, 'a module: the options must be an object, but are of type Undefined; give some'],
  [null, 'a module: the options must be an object, but are of type Null; give some'],
  [new Date(), 'a module: the options must be an object, but are of type Date'],
])('says what to do only where nothing is given: %o', (options, message) => {
  expect(() => assertOptionsObject('a module', options, 'give some')).toThrow(expect.objectContaining({ message }));
});

it.each([
  ['"a"', '"', '"'],
  ["'a'", "'", "'"],
  ['`a\n`', '`', '`'],
  ['""', '"', '"'],
  ['"', '"', undefined],
  ['"a\'', '"', undefined],
  ['a"', '"', undefined],
  ['"a"b', '"', undefined],
  ['"a', '"', undefined],
  ['a', undefined, undefined],
  ['', undefined, undefined],
])('finds quotes that a shell would remove: %j', (given, quote, around) => {
  expect([findQuote(given), findQuotesAround(given)]).toEqual([quote, around]);
});
