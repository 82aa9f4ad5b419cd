import { expect, it } from 'vitest';
import { assertOptionsObject } from './options-object.js';

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
  [() => ({}), 'Function; call the function'],
])('refuses what has no named options: %#', (options, type) => {
  expect(() => assertOptionsObject('a module', options)).toThrow(`but are of type ${type}`);
});
