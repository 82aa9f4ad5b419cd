import { describe, expect, it } from 'vitest';
import { isAheadOf } from './fence.js';

describe('the position of a fence', () => {
  it.each([
    ['a greater token of the same epoch', [1, 8n], [1, 7n], true],
    ['the same token', [1, 7n], [1, 7n], false],
    ['a smaller token', [1, 6n], [1, 7n], false],
    ['a greater epoch, whatever its token', [2, 1n], [1, 7n], true],
    ['a smaller epoch, whatever its token', [1, 7n], [2, 1n], false],
  ] as const)('is ahead by %s', (_, a, b, isAhead) => {
    expect(isAheadOf({ tokenEpoch: a[0], token: a[1] }, { tokenEpoch: b[0], token: b[1] })).toBe(isAhead);
  });
});
