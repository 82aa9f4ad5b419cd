import { describe, expect, it } from 'vitest';
import { Batch } from './batch.js';

describe('a batch', () => {
  it('begins anew after all members are taken, and leaves the taken ones as they are', () => {
    const batch = new Batch<string>();
    expect([batch.add('a'), batch.add('b')]).toEqual([1, 2]);
    const taken = batch.take();
    expect(batch.add('c')).toBe(1);
    expect(taken).toEqual(['a', 'b']);
    expect(batch.list).toEqual(['c']);
  });

  it.each([
    [0, '', 'abc'],
    [2, 'ab', 'c'],
    [3, 'abc', ''],
    [4, 'abc', ''],
  ])('with three members gives the first ones to a caller that takes %i', (count, taken, left) => {
    const batch = new Batch<string>();
    for (const one of 'abc') batch.add(one);
    expect(batch.take(count).join('')).toBe(taken);
    expect(batch.list.join('')).toBe(left);
    expect(batch.size).toBe(left.length);
  });

  it('gives nothing if it has no members', () => {
    expect(new Batch<string>().take()).toEqual([]);
  });
});
