import { expect, it } from 'vitest';
import { commonProtocol, PROTOCOL } from './protocol.js';

it.each([
  [[], PROTOCOL],
  [[PROTOCOL, PROTOCOL + 1], PROTOCOL],
  [[PROTOCOL + 1, PROTOCOL - 1], PROTOCOL - 1],
])('given others of the protocols %j, when a record is written, then in the protocol %i', (others, common) => {
  expect(commonProtocol(others)).toBe(common);
});
