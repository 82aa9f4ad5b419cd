import { expect, it } from 'vitest';
import { commonProtocol, PROTOCOL } from './protocol.js';

it.each([
  [[], PROTOCOL],
  [[PROTOCOL, PROTOCOL + 1], PROTOCOL],
  [[PROTOCOL + 1, PROTOCOL - 1], PROTOCOL - 1],
])('chooses, beside others of the protocols %j, the protocol %i for records', (others, common) => {
  expect(commonProtocol(others)).toBe(common);
});
