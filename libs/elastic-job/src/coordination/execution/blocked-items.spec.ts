import { describe, expect, it } from 'vitest';
import { BlockedItems } from './blocked-items.js';

describe('items that this client may not write', () => {
  it('are begun with the others first, for they may be blocked no more', () => {
    const blocked = blockedOf([1, 3]);
    expect(blocked.together([0, 1, 2, 3], new Set())).toEqual([0, 1, 2, 3]);
    expect(blockedOf([0, 1]).together([0, 1], new Set())).toEqual([0, 1]);
  });

  it('are left out once one of them was to blame, but for the one that was refused longest ago', () => {
    const blocked = blockedOf([1, 3, 4]);
    const items = [0, 1, 2, 3, 4];
    expect(blocked.together(items, new Set([1]))).toEqual([0, 2, 3]);
    blocked.add(3, 'no right on 3');
    expect(blocked.together(items, new Set([1]))).toEqual([0, 2, 4]);
    expect(blocked.together(items, new Set([1, 3]))).toEqual([0, 2]);
    expect(blocked.together([1], new Set([1]))).toEqual([]);
  });

  it('are told with the latest answer, until they are written', () => {
    const blocked = blockedOf([1, 3]);
    blocked.add(3, 'still no right on 3');
    expect(blocked.errorOf([0, 3])).toBe('still no right on 3');
    blocked.delete([3]);
    expect(blocked.errorOf([0, 3])).toBeUndefined();
    expect(blocked.together([0, 3], new Set([0]))).toEqual([0, 3]);
  });
});

function blockedOf(items: readonly number[]): BlockedItems {
  const blocked = new BlockedItems();
  for (const item of items) blocked.add(item, `no right on ${item}`);
  return blocked;
}
