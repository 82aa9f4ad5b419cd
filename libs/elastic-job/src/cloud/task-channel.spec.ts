import { expect, it } from 'vitest';
import { leftOfGrant } from './task-channel.js';

const GRANT = { at: 1_000, heldForMs: 400 };

it.each([
  ['as it is read', 1_000, 400],
  ['after it has waited in the channel', 1_300, 100],
  ['after the scheduler stood still as it was sending it', 9_000, 0],
  ['of a clock that differs', 900, 400],
])('grants what is left %s', (_, now, leftMs) => {
  expect(leftOfGrant(GRANT, now)).toBe(leftMs);
});
