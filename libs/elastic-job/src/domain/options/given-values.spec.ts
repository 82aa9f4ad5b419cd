import { expect, it } from 'vitest';
import { assertOptionsObject } from './given-values.js';

class AppOptions {
  readonly [Symbol.toStringTag] = 'AppOptions';
}

it.each([{}, Object.create(null), new AppOptions()])('takes an object of any class: %#', (options) => {
  expect(() => assertOptionsObject('a module', options)).not.toThrow();
});

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
