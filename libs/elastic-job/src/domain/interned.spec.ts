import { expect, it } from 'vitest';
import { interned } from './interned.js';

it.each(['/settle-orders/config', '', '0', '__proto__', 'constructor'])(
  'leaves the text %j as it is, each time',
  (text) => {
    expect([interned(text), interned(text)]).toEqual([text, text]);
  },
);
